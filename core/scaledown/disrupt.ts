import type { NodeBudgetTracker } from './node-budgets/node-budget-tracker.ts';
import type { ScaleDownDecision, Unremovable } from '../model/decision.ts';
import type { NodeName } from '../model/values/names.ts';
import type { Node } from '../model/cluster/node.ts';
import type { Scenario } from '../model/scenario.ts';
import type { NodeInfo } from '../model/snapshot/snapshot.ts';
import type { State } from '../model/state.ts';
import type { Registry } from '../registry/registry.ts';
import type { SimulatedCluster } from '../scheduling/simulated-cluster.ts';
import type { TrialCandidate } from './candidates.ts';
import type { DisruptionBudgets } from './disruption-budgets.ts';
import type { EligibilityOverrides } from './eligibility.ts';
import type { RemovalCandidate } from './unneeded.ts';

/** May this node be removed, apart from whether its pods have places elsewhere? */
export type CandidateCheck =
  | { readonly kind: 'candidate'; readonly candidate: TrialCandidate }
  | { readonly kind: 'stays'; readonly unremovable: Unremovable };

/** The result of the search for unneeded nodes, from which `DisruptionStep` goes on. */
export interface UnneededSearch {
  readonly scenario: Scenario;
  readonly registry: Registry;
  /** With the unneeded nodes gone. */
  readonly cluster: SimulatedCluster;
  /** Why nothing is removed now, in words; `null`: something may be. */
  readonly held: string | null;
  readonly unneeded: readonly RemovalCandidate[];
  /** Nodes that are ready and stay: pods may go there. */
  readonly takers: readonly NodeInfo[];
  /** The nodes of `takers` to which pods of unneeded nodes move. */
  readonly taken: ReadonlySet<NodeInfo>;
  /** The PodDisruptionBudgets after the evictions of unneeded nodes. */
  readonly budgets: DisruptionBudgets;
  /**
   * The removals that disruption budgets of the cluster and its groups allow; nodes that wait for their replacement
   * count as away.
   */
  readonly allowance: NodeBudgetTracker;
  /** Also of a node that waits for its replacement. */
  readonly consider: (node: Node, leniency: EligibilityOverrides) => CandidateCheck;
}

/** Nodes that are removed though they are not unneeded. */
export interface DisruptionResult {
  /** Nodes to remove now, as far as limits allow. */
  readonly nodes: readonly RemovalCandidate[];
  /** Why nodes are not removed for other reasons either, in words: more about those that are not unneeded. */
  readonly messages: ReadonlyMap<NodeName, string>;
  /** @param gone of all nodes, unneeded or not, those that go now. */
  readonly settled: (
    state: State,
    gone: readonly RemovalCandidate[],
  ) => { readonly state: State; readonly report: Pick<ScaleDownDecision, 'disruptions'> };
}

/** Finds nodes to remove among those that are not unneeded. It may change the simulated cluster. */
export type DisruptionStep = (searched: UnneededSearch) => DisruptionResult;
