import type { Increase } from '@outrigger/core/model/decision.ts';
import type { GroupName, NodeName, PodKey } from '@outrigger/core/model/values/names.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import type { HistoryDecision } from '@outrigger/core/ports/decision-history.ts';
import type { Percentiles } from '@outrigger/simulation/recording/recording.ts';

/** The actions of an observing Outrigger and of the autoscaler that acts, in one period. */
export interface Comparison {
  /** Name of the autoscaler that acts, as far as its events or its status show it. */
  readonly other: string;
  /** The other autoscaler's own report of itself in a line; `null` where its status was not given. */
  readonly otherStatus: string | null;
  readonly since: EpochMs;
  readonly until: EpochMs;
  /** Number of decisions that were compared. */
  readonly decisions: number;
  readonly outrigger: Totals;
  readonly acting: Totals;
  readonly scaleUps: readonly ComparedScaleUp[];
  readonly removals: readonly ComparedRemoval[];
  readonly groups: readonly ComparedGroup[];
}

export interface ClusterComparison extends Comparison {
  readonly cluster: string;
}

export interface Totals {
  /** Seconds from the time at which kube-scheduler rejected a pod until a size was set for it; `null` where none is known. */
  readonly pendingToSize: Percentiles | null;
  readonly nodesAdded: number;
  readonly nodesRemoved: number;
  readonly nodeHours: number;
  /** `null` where no node group has a known price; groups without a price are left out. */
  readonly usd: number | null;
}

/** A need of pods: from the decision that first answers it until no pod of it needs a node any more. */
export interface ComparedScaleUp {
  readonly pods: readonly PodKey[];
  /** The size that Outrigger would have set; `null` where Outrigger saw no need. */
  readonly outrigger: SizeIncreases | null;
  /** The size that the other has set; `null` where it has set none. */
  readonly acting: (SizeIncreases & SeenTime) | null;
}

export interface SizeIncreases {
  readonly at: EpochMs;
  readonly sizes: readonly Increase[];
}

export interface SeenTime {
  /** Whether `at` is the time of an event; otherwise an evaluation saw the action, up to the interval of evaluations later. */
  readonly exact: boolean;
}

/** A node that at least one of the two removes. */
export interface ComparedRemoval {
  readonly node: NodeName;
  readonly group: GroupName;
  readonly by: 'both' | 'outrigger' | 'acting';
  readonly outriggerAt: EpochMs | null;
  readonly acting: ({ readonly at: EpochMs } & SeenTime) | null;
  /** Whether the removal is safe by the rules of Outrigger; `null` where no decision says so. */
  readonly safe: boolean | null;
  readonly why: string;
}

export interface ComparedGroup {
  /** `null`: the nodes of no node group, as of a NodePool of Karpenter. */
  readonly group: GroupName | null;
  /** USD per hour of a node; `null` where it is not known. */
  readonly price: number | null;
  readonly nodeHours: { readonly outrigger: number; readonly acting: number };
}

/** The actions that the acting autoscaler has announced itself. */
export interface Announcements {
  readonly by: string | null;
  readonly status: string | null;
  /** When it announced a node for each pod, in the order of time: a pod of a StatefulSet gets its name again. */
  readonly pods: ReadonlyMap<PodKey, readonly EpochMs[]>;
  /** When it first announced the removal of each node. */
  readonly nodes: ReadonlyMap<NodeName, EpochMs>;
  /** Nodes that the cloud takes back: it terminates them for an interruption. */
  readonly interrupted: ReadonlySet<NodeName>;
}

/** The material of a comparison. */
export interface ComparisonMaterial {
  /** In the order of time; the first ones may be of before `since`, and say what held then. */
  readonly decisions: readonly HistoryDecision[];
  readonly announced: Announcements;
  /** Since when each pod is pending, as far as it is known. */
  readonly pendingSince: ReadonlyMap<PodKey, EpochMs>;
  /** USD per hour of a node of each group. */
  readonly prices: ReadonlyMap<GroupName, number>;
  readonly since: EpochMs;
  readonly until: EpochMs;
}

/** The numbers of nodes that a decision has observed. */
export interface Observation {
  /** The sizes of the node groups, and under `null` the number of nodes of no group. */
  readonly sizes: ReadonlyMap<GroupName | null, number>;
  /** Number of registered nodes. */
  readonly registered: number;
}
