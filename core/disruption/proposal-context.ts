import type { Disruption, DisruptionReport } from '../model/disruption.ts';
import type { NodeName } from '../model/values/names.ts';
import type { RemovalFindings } from '../scaledown/find-removals.ts';
import type { RemovalContext } from '../scaledown/removal-context.ts';
import type { RemovalCandidate } from '../scaledown/unneeded.ts';
import type { NodeCosts } from './consolidation/node-costs.ts';
import type { ConsolidationSimulator } from './consolidation/consolidation-simulator.ts';

/** The facts and trackers for new disruptions, which begin where the search for unneeded nodes ends. */
export interface ProposalContext
  extends RemovalContext, Pick<RemovalFindings, 'unneeded' | 'usedDestinations' | 'destinationNodes'> {
  /** Nodes of stored disruptions: nothing new is begun for them in this evaluation. */
  readonly underWay: ReadonlySet<NodeName>;
}

/** The tools of a search, and the number of nodes that it may begin with. */
export interface ProposalTools {
  readonly simulator: ConsolidationSimulator;
  readonly costs: NodeCosts;
  /** The number of nodes that may begin to wait. */
  readonly room: number;
}

/** Needed nodes that searches find to be removed or replaced. */
export interface Proposals {
  /** Nodes whose pods have places on existing nodes: they are removed at once (`RemovalCandidate.reason`). */
  readonly nodes: readonly RemovalCandidate[];
  /** The reports on `nodes` that consolidation removes, for when they are removed. */
  readonly reports: ReadonlyMap<NodeName, DisruptionReport>;
  /** New disruptions, which begin to wait. */
  readonly disruptions: readonly Disruption[];
  /** Why other nodes stay, in words. */
  readonly messages: ReadonlyMap<NodeName, string>;
}

/** A way to find nodes to disrupt. */
export interface DisruptionMethod {
  /** Whether it may find any; cheap. */
  readonly isNeeded: (context: ProposalContext) => boolean;
  readonly propose: (context: ProposalContext, tools: ProposalTools) => Proposals;
}

export const NO_PROPOSALS: Proposals = Object.freeze({
  nodes: [],
  reports: new Map<never, never>(),
  disruptions: [],
  messages: new Map<never, never>(),
});
