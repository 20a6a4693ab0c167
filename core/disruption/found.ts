import type { Disruption } from '../model/disruption.ts';
import type { NodeName } from '../model/values/names.ts';
import type { Searched } from '../scaledown/disrupt.ts';
import type { Unneeded } from '../scaledown/unneeded.ts';
import type { NodeCosts } from './consolidation/node-costs.ts';
import type { WhatIf } from './consolidation/what-if.ts';

/** What nodes are found to be removed though they are needed. */
export interface Found {
  /** Their pods have places on nodes that are there: they go at once (`Unneeded.atOnce`). */
  readonly nodes: readonly Unneeded[];
  /** New ones, which begin to wait. */
  readonly commands: readonly Disruption[];
  /** Why others stay, in words. */
  readonly messages: ReadonlyMap<NodeName, string>;
}

/** What a search may try, and how much it may begin. */
export interface Means {
  readonly whatIf: WhatIf;
  readonly costs: NodeCosts;
  /** The number of nodes that may begin to wait. */
  readonly room: number;
}

/**
 * Looks for such nodes; `null` where no option asks for it, for that costs nothing.
 *
 * @param known nodes of commands that were stored: nothing new is begun for them in this evaluation.
 */
export type Finder = (searched: Searched, known: ReadonlySet<NodeName>) => ((means: Means) => Found) | null;
