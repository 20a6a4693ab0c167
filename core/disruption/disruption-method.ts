import type { Disruption } from '../model/disruption.ts';
import type { NodeName } from '../model/values/names.ts';
import type { UnneededSearch } from '../scaledown/disrupt.ts';
import type { RemovalCandidate } from '../scaledown/unneeded.ts';
import type { NodeCosts } from './consolidation/node-costs.ts';
import type { ConsolidationSimulator } from './consolidation/consolidation-simulator.ts';

/** Needed nodes that are found to be removed or replaced. */
export interface MethodResult {
  /** Nodes whose pods have places on existing nodes: they are removed at once (`Unneeded.atOnce`). */
  readonly nodes: readonly RemovalCandidate[];
  /** New commands, which begin to wait. */
  readonly commands: readonly Disruption[];
  /** Why other nodes stay, in words. */
  readonly messages: ReadonlyMap<NodeName, string>;
}

/** The tools of a search, and the number of nodes that it may begin with. */
export interface DisruptionTools {
  readonly whatIf: ConsolidationSimulator;
  readonly costs: NodeCosts;
  /** The number of nodes that may begin to wait. */
  readonly room: number;
}

/**
 * Looks for such nodes; `null` where no option asks for the search, which then costs nothing.
 *
 * @param known nodes of commands that were stored: nothing new is begun for them in this evaluation.
 */
export type DisruptionMethod = (
  searched: UnneededSearch,
  known: ReadonlySet<NodeName>,
) => ((means: DisruptionTools) => MethodResult) | null;
