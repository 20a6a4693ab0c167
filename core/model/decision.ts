import type { GroupName, InstanceId, NodeName, PodKey } from './values/names.ts';
import type { CloudAction } from './cloud-action.ts';
import type { ScheduledMinimum } from './capacity-schedule.ts';
import type { FailureClass, ResizedByOthers } from './node-group.ts';
import type { ReplicatingKind } from './headroom.ts';
import type { DisruptionReason, DisruptionReport } from './disruption.ts';
import type { NoticeAnswer, NoticeKind } from './notice.ts';
import type { Pause } from './pause.ts';
import type { IncorrectSize, State } from './state.ts';
import type { EpochMs } from './values/time.ts';
import type { ZonalShift } from './zonal-shift.ts';

/** The two parts of an evaluation, where each is decided and committed by itself. */
export type Evaluation = 'ScaleUp' | 'ScaleDown';

/** The core's whole output. Lists are sorted by name; the same scenario gives the same bytes. */
export interface Decision {
  readonly name: string;
  /**
   * The part of the evaluation that this decision is; absent for a whole evaluation. The other part is `NotEvaluated`.
   */
  readonly evaluation?: Evaluation;
  readonly scaleUp: ScaleUpDecision;
  readonly scaleDown: ScaleDownDecision;
  readonly registry: RegistryReport;
  readonly state: State;
  /**
   * Only where there are any: nodes that leave now because the cloud ends their instances. Their pods count as pending
   * pods.
   */
  readonly departures?: readonly DepartureReport[];
  /** Only where there are any: notices about instances of the cluster, and the answers to them. */
  readonly notices?: readonly NoticeReport[];
  /** Only where there are any: pauses in force. */
  readonly pauses?: readonly Pause[];
  /** Only when asked for (`simulate --fit`). */
  readonly fit?: readonly PodFit[];
  /**
   * Only where there were any: mistakes of the program, each limited to its subject. The rest is decided as without the
   * mistake.
   */
  readonly unexpectedErrors?: readonly UnexpectedError[];
  /** Only in a stored decision that was too large to keep whole: what was left out, in words. */
  readonly omitted?: readonly string[];
  /** Only in a stored decision: of its node groups, what was observed and is asked about later. */
  readonly nodeGroups?: Readonly<Record<GroupName, RecordedGroup>>;
}

/** A node group as it was observed for a decision. */
export interface RecordedGroup {
  /** The limits of the group's size, and its template; absent in a decision of scale-down alone. */
  readonly min?: number;
  readonly max?: number;
  readonly template?: RecordedTemplate | undefined;
  /** Why it cannot grow, whatever pods there are; absent where nothing is known, and in a decision of scale-down alone. */
  readonly cannotGrow?: Pick<SkippedGroup, 'reason' | 'message'> | undefined;
  /** The group's registered nodes; absent in a decision of scale-up alone. */
  readonly nodes?: readonly NodeName[];
}

/** A summary of a new node of a node group. */
export interface RecordedTemplate {
  /** `null` where the labels do not state it. */
  readonly instanceType: string | null;
  /** Allocatable, in milli-CPU. */
  readonly cpu: number;
  /** Allocatable, in bytes. */
  readonly memory: number;
}

/** A node that leaves for a notice of the cloud. */
export interface DepartureReport {
  readonly node: NodeName;
  readonly group: GroupName;
  readonly notice: NoticeKind;
  /** Pods are evicted until then, as far as their PodDisruptionBudgets allow. */
  readonly deadline: EpochMs;
}

/** A notice about an instance, and the answer to it. */
export interface NoticeReport {
  readonly instance: InstanceId;
  /** `null`: it has not become a node. */
  readonly node: NodeName | null;
  readonly group: GroupName;
  readonly notice: NoticeKind;
  readonly receivedAt: EpochMs;
  /** When the cloud ends the instance; `null` where the cloud does not state it. */
  readonly endsAt: EpochMs | null;
  readonly answer: NoticeAnswer;
  /** Until when that is done; `null` where no time is set. */
  readonly until: EpochMs | null;
}

/** An exception during an evaluation, and what was left out for it. */
export interface UnexpectedError {
  readonly during: 'Registry' | 'ScaleUp' | 'ScaleDown' | 'Fit';
  /** The pod that the error is about, or the first of several equal pods; absent where the error is about no pod. */
  readonly pod?: PodKey;
  /** How many pods are alike, where there are several. */
  readonly pods?: number | undefined;
  /** The node that the error is about, or that is excluded for the error. */
  readonly node?: NodeName;
  readonly group?: GroupName;
  /** The drain rule that threw. */
  readonly rule?: string;
  /** An object of another kind, as `podDisruptionBudgets default/web`. */
  readonly object?: string;
  readonly message: string;
  /** Stack of the exception: for the log, not for the decision as a document. */
  readonly stack: string;
}

export type ScaleUpResult =
  /** This is the decision of scale-down alone. */
  | 'NotEvaluated'
  | 'ScaledUp'
  | 'NotNeeded'
  | 'NoOptions'
  | 'Limited'
  | 'Cooldown'
  | 'ClusterUnhealthy'
  | 'NotTried'
  /** A mistake of the program stopped all of it. */
  | 'UnexpectedError';

export interface ScaleUpDecision {
  readonly result: ScaleUpResult;
  readonly increases: readonly Increase[];
  readonly pods: readonly PodOutcome[];
  /** Details of why pods are `Unschedulable`, for the first shapes of pods (`MOST_SHAPES`); absent where there are none. */
  readonly rejections?: readonly PodRejection[];
  /** Nodes on their way, per group, before this decision; groups without any are left out. */
  readonly upcoming: Readonly<Record<GroupName, number>>;
  readonly skippedGroups: readonly SkippedGroup[];
  /** Room that is held for pods to come, by name; absent where none is asked for. */
  readonly headroom?: readonly HeadroomReport[];
  /** The answers to the open ProvisioningRequests, the oldest first; absent where there are none. */
  readonly provisioningRequests?: readonly ProvisioningReport[];
  /** Nodes that kube-scheduler may use from now on (`plannedPlacement`), by name; absent where there are none. */
  readonly releases?: readonly NodeRelease[];
  /** Nodes that are ready and stay tainted until the devices are announced that their pods ask for, by name; absent where there are none. */
  readonly awaitingDevices?: readonly NodeName[];
  /** A pod that could run on an open node, and that kube-scheduler is to try again (`plannedPlacement`); absent where there is none. */
  readonly requeued?: RequeuedPod;
  /** DaemonSets that new nodes are planned without; absent where there are none. */
  readonly skippedDaemonSets?: readonly SkippedDaemonSet[];
  /** How each choice was made, in order. */
  readonly considered: readonly Consideration[];
  /** Cost of the plan; `null` when nothing is launched. */
  readonly plan: PlanReport | null;
}

/** Are nodes on their way, or asked for by this decision? */
export const areNodesToCome = ({ increases, upcoming }: Pick<ScaleUpDecision, 'increases' | 'upcoming'>): boolean =>
  increases.length > 0 || Object.values(upcoming).some((nodes) => nodes > 0);

/** A source of headroom, and how many of its virtual pods have a place. */
export interface HeadroomReport {
  readonly source: 'CapacityBuffer' | ReplicatingKind;
  /** Namespace and name. */
  readonly name: string;
  readonly wanted: number;
  /** On existing or upcoming nodes. */
  readonly fits: number;
  /** Virtual pods of `fits` on upcoming nodes; absent: none. */
  readonly upcoming?: number | undefined;
  /** On nodes that are added. */
  readonly triggered: number;
  /** Why the others have none. */
  readonly reasons?: readonly PodReason[];
  /**
   * The number of virtual pods that the source asks for, and the number that ResourceQuotas of these names allow;
   * absent: all.
   */
  readonly limit?: { readonly from: number; readonly to: number; readonly quotas: readonly string[] };
  /** Why less room is held than was asked for, or none, in words. */
  readonly problem?: string;
}

/** A ready node whose taint `outrigger.dev/awaiting-pods` is to be taken off. */
export interface NodeRelease {
  readonly node: NodeName;
  /** The pods that are nominated to it immediately before. */
  readonly pods: readonly PodKey[];
}

/** A pod that kube-scheduler does not try again, though it could run on a node. */
export interface RequeuedPod {
  readonly pod: PodKey;
  readonly node: NodeName;
}

/** Cluster Autoscaler's reasons of conditions, but for the first two. */
export type ProvisioningOutcome =
  /** The capacity that the request was given is held for its pods. */
  | 'Booked'
  /** Room is looked for later. */
  | 'Waiting'
  | 'CapacityIsFound'
  | 'CapacityIsProvisioned'
  | 'CapacityIsNotFound'
  | 'CapacityBookingConsumed'
  | 'CapacityReservationTimeExpired'
  | 'Expired'
  | 'FailedToCreatePods'
  | 'FailedToBookCapacity';

/** The answer to a ProvisioningRequest. */
export interface ProvisioningReport {
  /** Namespace and name. */
  readonly name: string;
  readonly class: string;
  readonly outcome: ProvisioningOutcome;
  /** Number of pods; with `Booked`, of those that have not come yet. */
  readonly wanted: number;
  /** On existing or upcoming nodes. */
  readonly fits: number;
  /** Pods of `fits` on upcoming nodes; absent: none. */
  readonly upcoming?: number | undefined;
  /** On nodes that are added. */
  readonly triggered: number;
  /** When room is looked for again, where that is known. */
  readonly until?: EpochMs | undefined;
  /** Why there is no room for all. */
  readonly reasons?: readonly PodReason[];
  /** The problem, in words. */
  readonly message?: string;
}

/** A DaemonSet of which a new node is not expected to carry a pod, though it admits the node. */
export interface SkippedDaemonSet {
  /** Namespace and name. */
  readonly daemonSet: string;
  /** The first of the groups, by name. */
  readonly group: GroupName;
  /** Number of groups whose nodes are planned without the DaemonSet for this reason. */
  readonly groups: number;
  /** In words. */
  readonly reason: string;
}

/** The cost of a plan, and its lower bound. */
export interface PlanReport {
  /** Cost of the new nodes that packing needs. */
  readonly cost: number;
  /** No plan costs less; `null` where that was not worked out. */
  readonly bound: number | null;
  /** `price`: USD per hour; `size`: no group has a price, so all count for what their size costs elsewhere. */
  readonly basis: 'price' | 'size';
}

export interface Increase {
  readonly group: GroupName;
  readonly from: number;
  readonly to: number;
}

export type PodOutcomeKind = 'Triggered' | 'Fits' | 'Awaiting' | 'Unschedulable' | 'Ignored' | 'UnexpectedError';

export interface PodOutcome {
  readonly pod: PodKey;
  readonly outcome: PodOutcomeKind;
  /** Triggered: the group whose new node will run the pod. */
  readonly group?: GroupName;
  /** Unschedulable, Awaiting, Ignored and UnexpectedError: why. `group` is absent where the reason is the pod's own. */
  readonly reasons?: readonly PodReason[];
}

/** Requirements of pods of one shape that new nodes do not meet, with numbers: beside the reasons of the pods. */
export interface PodRejection {
  readonly pods: readonly PodKey[];
  /** The nearest node groups first, at most five entries; node groups that lack the same are one entry. */
  readonly groups: readonly GroupRejection[];
  /** The node group with the fewest unmet requirements, and what would meet them, in words. */
  readonly nearest: { readonly group: GroupName; readonly remedy: string };
}

export interface GroupRejection {
  readonly groups: readonly GroupName[];
  /** Each unmet requirement in words: `asks for 48 CPU; a new node has 1.93, 1.78 after DaemonSets`. */
  readonly unmet: readonly string[];
}

export interface PodReason {
  /** Absent for reasons of kube-scheduler's filters and of groups. */
  readonly kind?: 'TimeUsedUp';
  readonly group?: GroupName;
  /** In kube-scheduler's words for one of its filters, else in Cluster Autoscaler's. */
  readonly reason: string;
}

export type SkipReason =
  | 'BackedOff'
  | 'Unhealthy'
  | 'LaunchSuspended'
  | 'ZonalShift'
  | 'Paused'
  | 'MaxSizeReached'
  | 'BeingRemoved'
  | 'ResourceLimitExceeded'
  | 'MaxCostPerHourReached'
  | 'NoTemplate'
  | 'NotSimulated'
  | 'Invalid'
  | 'UnexpectedError';

export interface SkippedGroup {
  readonly group: GroupName;
  readonly reason: SkipReason;
  /** Details, where there are any. */
  readonly message?: string;
  /** `BackedOff` alone: what had failed. */
  readonly class?: FailureClass;
  /** `BackedOff`, `ZonalShift` and `Paused`: when the group is tried again; absent where unknown. */
  readonly until?: EpochMs;
}

/** A choice among node groups: the options, their scores, and why the winner won. */
export interface Consideration {
  readonly options: readonly ConsideredOption[];
  readonly winner: GroupName;
  readonly why: string;
  /** How the winner's nodes were split over similar groups. */
  readonly split: readonly Increase[];
  /**
   * Groups over which the nodes were not balanced, though the groups are similar or nearly similar; absent where there
   * are none.
   */
  readonly unbalanced?: readonly UnbalancedGroup[];
  /** The groups among which the expander `external` has no answer; absent where it has one, or is not asked. */
  readonly unanswered?: readonly GroupName[];
}

/** Figures by which the expanders choose, where known; an option may lack some. */
export interface UnbalancedGroup {
  readonly group: GroupName;
  /** The pod that does not fit the group, or the only label or resource that differs. */
  readonly reason: string;
}

/** Figures that decide the choice, where they are known and not every option has the same members. */
export interface OptionFigures {
  /** The priority expander's: of the group; more is better. */
  readonly priority?: number;
  /** Price of all the new nodes, USD per hour. */
  readonly price?: number;
  /** The price expander's score; less is better. */
  readonly priceScore?: number;
  /** How many of the new nodes come from the group's warm pool, where it has one. */
  readonly warm?: number;
}

export interface ConsideredOption extends OptionFigures {
  readonly group: GroupName;
  readonly nodes: number;
  readonly pods: number;
  /** Cluster Autoscaler's least-waste score: the unused share of CPU plus that of memory; less is better. */
  readonly waste: number;
  readonly similarGroups: readonly GroupName[];
  /**
   * The estimate was given up as soon as it could not win any more: `nodes` and `pods` are of a part of it, and the
   * whole would waste `waste` at least.
   */
  readonly incomplete?: boolean | undefined;
}

export interface ScaleDownDecision {
  readonly result:
    | 'Planned'
    | 'Nothing'
    | 'Cooldown'
    | 'Disabled'
    | 'ClusterUnhealthy'
    | 'NotEvaluated'
    | 'UnexpectedError';
  readonly unneeded: readonly NodeName[];
  /** Utilization of unneeded nodes, except disrupted ones; absent if there are none. */
  readonly utilization?: Readonly<Record<NodeName, NodeUtilization>> | undefined;
  readonly removals: readonly Removal[];
  /** Why other nodes stay; an unneeded node may be among them. */
  readonly unremovable: readonly Unremovable[];
  /** Why nothing is removed now, in words; `null` where there is no more to say than the result does. */
  readonly message: string | null;
  /** Only in a decision of scale-down alone: pods want nodes that scale-up has not launched yet. */
  readonly awaitsScaleUp?: true;
  /** Only where there are any: results of the disruptions that remove nodes once their replacement is ready. */
  readonly disruptions?: readonly DisruptionReport[];
  /** Only where one is in force: of the cluster and of each node group, the most restrictive disruption budget. */
  readonly budgets?: readonly NodeBudgetReport[];
}

/**
 * Requests of a node's pods as shares of its resources (of GPUs only, if the node has any), and the threshold for
 * unneeded nodes.
 */
export interface NodeUtilization {
  readonly cpu?: number;
  readonly memory?: number;
  readonly gpu?: number;
  readonly threshold: number;
}

/** The most restrictive disruption budget that is in force, whatever the reason that it is about. */
export interface NodeBudgetReport {
  /** `null`: of the cluster. */
  readonly group: GroupName | null;
  /** In its short form. */
  readonly budget: string;
  /** How many nodes may be away at a time. */
  readonly nodes: number;
  readonly total: number;
  /** How many were being disrupted before this evaluation. */
  readonly disrupting: number;
  /** When its schedule ends, on the clock of its time zone; `null` where no end is in sight. */
  readonly until: string | null;
  /** Why the budget cannot be read; absent for a readable budget. */
  readonly unreadable?: string;
}

export interface Removal {
  readonly node: NodeName;
  readonly group: GroupName;
  /** `empty`: no pod of it needs another place. */
  readonly kind: 'empty' | 'drain';
  /** Absent where the node is not needed: `Empty` or `Underutilized`, by its kind. */
  readonly reason?: DisruptionReason;
  readonly pods: readonly PodKey[];
  /** Nodes on which the pods were found to fit. kube-scheduler may choose otherwise. */
  readonly destinations: readonly Destination[];
}

/** The number of pods that fit on one node. */
export interface Destination {
  readonly node: NodeName;
  readonly pods: number;
}

/**
 * Cluster Autoscaler's names, and eight more. `DisruptionBudgetReached`: as many nodes are away as a disruption budget of
 * the cluster or the group allows, and `DisruptionBudgetUnreadable`: one cannot be read; `ReplacementPending`: its pods are to have
 * places on other nodes first; `NodeGroupScaleDownDisabled`: the group's option `scaleDownEnabled` is
 * off; `NodeGroupUpdating`: the group's nodes are being replaced, or held back (`isUpdating`); `ZonalShift`: traffic is
 * shifted away from the node's zone; `Unreadable`: the node is excluded (`ClusterObjects.excludedNodes`).
 */
export type UnremovableReason =
  | 'ScaleDownDisabledAnnotation'
  | 'ScaleDownUnreadyDisabled'
  | 'NotAutoscaled'
  | 'NotUnneededLongEnough'
  | 'NotUnreadyLongEnough'
  | 'NodeGroupMinSizeReached'
  | 'NodeGroupMaxDeletionCountReached'
  | 'DisruptionBudgetReached'
  | 'DisruptionBudgetUnreadable'
  | 'NodeGroupScaleDownDisabled'
  | 'NodeGroupUpdating'
  | 'ZonalShift'
  | 'Paused'
  | 'AtomicScaleDownFailed'
  | 'MinimalResourceLimitExceeded'
  | 'CurrentlyBeingDeleted'
  | 'ReplacementPending'
  | 'NotUnderutilized'
  | 'NotUnneededOtherReason'
  | 'RecentlyUnremovable'
  | 'NoPlaceToMovePods'
  | 'BlockedByPod'
  | 'BlockedByOnCompletionPod'
  | 'Unreadable'
  | 'UnexpectedError';

/** Why a pod keeps its node. Cluster Autoscaler's names, `DoNotDisrupt` and `JobRunning`. */
export type BlockingReason =
  | 'ControllerNotFound'
  | 'MinReplicasReached'
  | 'NotReplicated'
  | 'LocalStorageRequested'
  | 'NotSafeToEvictAnnotation'
  | 'UnmovableKubeSystemPod'
  | 'NotEnoughPdb'
  | 'DoNotDisrupt'
  | 'JobRunning'
  | 'UnexpectedError';

export interface Unremovable {
  readonly node: NodeName;
  readonly reason: UnremovableReason;
  /** The pod that keeps the node. */
  readonly pod?: PodKey;
  /** Why that pod does. */
  readonly podReason?: BlockingReason;
  /** More about it, for people. */
  readonly message?: string;
}

export interface RegistryReport {
  readonly clusterHealthy: boolean;
  /** All nodes of the cluster, those of no group included, and the instances of all groups that are no nodes. */
  readonly totals: NodeCounts;
  readonly groups: Readonly<Record<GroupName, GroupReport>>;
  readonly repairs: readonly Repair[];
}

export const NO_NODES = Object.freeze({
  registered: 0,
  ready: 0,
  unready: 0,
  notStarted: 0,
  unregistered: 0,
  longUnregistered: 0,
  deleted: 0,
  suspended: 0,
});

/** Registered nodes by their readiness, and instances that are no nodes. */
export type NodeCounts = Readonly<Record<keyof typeof NO_NODES, number>>;

export interface GroupReport extends NodeCounts {
  readonly healthy: boolean;
  readonly target: number;
  readonly acceptable: { readonly min: number; readonly max: number; readonly current: number };
  readonly incorrectSize: IncorrectSize | null;
  readonly backoffUntil: EpochMs | null;
  /** Actions of the cloud itself on the group's nodes; absent where there are none. */
  readonly warnings?: readonly CloudAction[];
  /** Absent where the group has the size that was set last, as far as is known. */
  readonly resizedByOthers?: ResizedByOthers;
  /** The minimum of the capacity schedules in force; absent where none is in force. */
  readonly scheduledMinimum?: ScheduledMinimum;
  /** Zonal shifts in force; absent where there are none. */
  readonly zonalShifts?: readonly ZonalShift[];
}

/** `instance` is the ID of a `LaunchFailure` where the cloud created no instance: only the target is lowered then. */
export type Repair =
  | {
      readonly kind: 'DeleteUnregistered' | 'DeleteErrored' | 'DeleteIncomplete';
      readonly group: GroupName;
      readonly instance: InstanceId;
    }
  | {
      readonly kind: 'DecreaseTarget' | 'IncreaseToMin';
      readonly group: GroupName;
      readonly from: number;
      readonly to: number;
    };

/** For one pending pod: `ok`, or the scheduler plugin that rejects it, on every existing node. */
export interface PodFit {
  readonly pod: PodKey;
  readonly nodes: Readonly<Record<NodeName, string>>;
}
