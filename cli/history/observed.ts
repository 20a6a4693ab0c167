import type { ScaleDownDecision, ScaleUpDecision } from '@outrigger/core/model/decision.ts';
import type { Controller, PodDisruptionBudget } from '@outrigger/core/model/cluster/workloads.ts';
import type { Node } from '@outrigger/core/model/cluster/node.ts';
import type { Pod } from '@outrigger/core/model/cluster/pod.ts';
import type { NodeGroup } from '@outrigger/core/model/node-group.ts';
import type { Notice } from '@outrigger/core/model/notice.ts';
import type { Scenario } from '@outrigger/core/model/scenario.ts';
import type { GroupName, NodeName } from '@outrigger/core/model/values/names.ts';
import type { DurationMs, EpochMs } from '@outrigger/core/model/values/time.ts';

/** The orders of a decision, and the nodes that it found unneeded. */
export interface ObservedDecision {
  readonly scaleUp: Pick<ScaleUpDecision, 'increases'>;
  readonly scaleDown: Pick<ScaleDownDecision, 'unneeded' | 'removals'>;
}

/** A decision of the past, and what it was made from. */
export interface HistoryObservation {
  readonly at: EpochMs;
  /** `null` where it was not kept. */
  readonly scenario: Scenario | null;
  readonly decision: ObservedDecision;
  /** The decision is made again from a scenario in a file; others between two of them are unknown. Absent: it was made then. */
  readonly isMadeAgain?: true;
}

/** The life of a pod, as the scenarios of a history show it. Pods of DaemonSets are not among them. */
export interface ObservedPod {
  /** As it was seen first. */
  readonly pod: Pod;
  readonly createdAt: EpochMs;
  startedAt: EpochMs | null;
  /** When kube-scheduler found no node for it; `null`: never, as far as is known. */
  waitingSince: EpochMs | null;
  node: NodeName | null;
  /** Time of the decision that evicted the pod; `null` where none did. */
  evictedAt: EpochMs | null;
  /** `null`: it lived on after the period. */
  end: EpochMs | null;
  /** The number of the scenario that showed it first, and of the first one that did not show it any more. */
  readonly bornIn: number;
  endedIn: number | null;
}

/** The life of a registered node. */
export interface ObservedNode {
  /** As it was seen last. */
  node: Node;
  /** `null`: in no node group. */
  group: GroupName | null;
  /** When it was registered; `null`: before the period. */
  readonly registeredAt: EpochMs | null;
  /** When it was ready first; `null`: unknown, or before the period. */
  readyAt: EpochMs | null;
  /** `null`: it lived on after the period. */
  end: EpochMs | null;
  /** Why it ended; `unknown`: no removal was decided or announced, and its group was not made smaller. */
  ending: 'removed' | 'announced' | 'unknown' | null;
}

/** An increase that was decided, or found in the state. */
export interface RequestedNodes {
  readonly group: GroupName;
  readonly at: EpochMs;
  readonly nodes: number;
}

/** The number of instances that the cloud had for a group from then on. */
export interface AvailableInstances {
  readonly group: GroupName;
  readonly at: EpochMs;
  readonly available: number;
}

/** A budget, and whether it always asked for the same number of pods. */
export interface ObservedBudget {
  readonly budget: PodDisruptionBudget;
  readonly isConstant: boolean;
}

/** All that the kept decisions of a period show. */
export interface ObservedPeriod {
  /** Times of the first and the last scenario. */
  readonly since: EpochMs;
  readonly until: EpochMs;
  /** The number of scenarios, and of decisions without one. */
  readonly scenarios: number;
  readonly withoutScenario: number;
  readonly longestGap: DurationMs;
  /** Are all removals and evictions known? They are not from scenarios in files. */
  readonly hasDecisions: boolean;
  readonly first: Scenario;
  readonly last: Scenario;
  /** How often the options were others than before. */
  readonly optionChanges: number;
  readonly pods: readonly ObservedPod[];
  readonly nodes: readonly ObservedNode[];
  /** Each node group that was seen, as it was last, with the mean of its prices by the cloud or by tags. */
  readonly groups: ReadonlyMap<GroupName, NodeGroup>;
  /** The mean price of the nodes of each group, with the prices that options state; `null` where none was known. */
  readonly prices: ReadonlyMap<GroupName, number | null>;
  readonly requests: readonly RequestedNodes[];
  readonly available: readonly AvailableInstances[];
  readonly notices: readonly Notice[];
  readonly daemonSets: readonly Controller[];
  readonly budgets: readonly ObservedBudget[];
}
