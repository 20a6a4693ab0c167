import type { StatedPrice } from './price.ts';
import type { CapacitySchedule } from './capacity-schedule.ts';
import type { NodeBudget } from './node-budget.ts';
import type { AUTO } from './unneeded-time.ts';
import { type DurationMs, minutes, seconds } from './values/time.ts';

/**
 * Every option, once: the parser at the edge, the types below and the table in the documentation come from here.
 * Names are Cluster Autoscaler's flags in camelCase, spelt as it spells them. `clusterAutoscaler` is its default where
 * Outrigger's differs.
 */
interface OptionDescription<T> {
  readonly default: T;
  readonly clusterAutoscaler?: T;
  readonly help: string;
}

export type OptionSpec =
  | (OptionDescription<boolean> & { readonly kind: 'boolean' })
  | (OptionDescription<number> & { readonly kind: 'integer'; readonly min: number })
  | (OptionDescription<number> & { readonly kind: 'number'; readonly min: number; readonly max: number })
  | (OptionDescription<DurationMs> & { readonly kind: 'duration' })
  | (OptionDescription<DurationMs | typeof AUTO> & { readonly kind: 'durationOrAuto' })
  | (OptionDescription<string> & { readonly kind: 'string' })
  | (OptionDescription<string> & { readonly kind: 'namespace' })
  | (OptionDescription<string> & { readonly kind: 'objectName' })
  | (OptionDescription<string> & { readonly kind: 'functionArn' })
  | (OptionDescription<readonly string[]> & { readonly kind: 'strings' })
  | (OptionDescription<string> & { readonly kind: 'choice'; readonly choices: readonly string[] })
  | (OptionDescription<readonly string[]> & { readonly kind: 'choices'; readonly choices: readonly string[] })
  | (OptionDescription<Range> & { readonly kind: 'range' })
  | (OptionDescription<readonly GpuRange[]> & { readonly kind: 'gpuRanges' })
  | (OptionDescription<readonly DrainPriority[]> & { readonly kind: 'drainPriorities' })
  | (OptionDescription<readonly StatedPrice[]> & { readonly kind: 'prices' })
  | (OptionDescription<readonly NodeBudget[]> & { readonly kind: 'disruptionBudgets' })
  | (OptionDescription<readonly CapacitySchedule[]> & { readonly kind: 'capacitySchedules' });

/** Pods of this priority and above, up to the next one, are evicted together. */
export interface DrainPriority {
  readonly priority: number;
  /** The longest that they are given to end. */
  readonly graceSeconds: number;
}

/** `min:max`. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** `type:min:max`, of GPUs of one type: the value of the GPU label. */
export interface GpuRange extends Range {
  readonly type: string;
}

/** The numbers that an option takes, in words. */
export const rangeOf = ({ min, max }: Range): string =>
  max === Number.MAX_VALUE ? `of at least ${min}` : `from ${min} to ${max}`;

type Extra<T> = { readonly clusterAutoscaler?: T };
const boolean = (value: boolean, help: string, extra: Extra<boolean> = {}) =>
  ({ kind: 'boolean', default: value, help, ...extra }) as const;
const integer = (value: number, help: string, extra: Extra<number> & { readonly min?: number } = {}) =>
  ({ kind: 'integer', default: value, help, min: 0, ...extra }) as const;
const number = (value: number, help: string, extra: Extra<number> & { readonly max?: number } = {}) =>
  ({ kind: 'number', default: value, help, min: 0, max: Number.MAX_VALUE, ...extra }) as const;
const duration = (value: DurationMs, help: string, extra: Extra<DurationMs> = {}) =>
  ({ kind: 'duration', default: value, help, ...extra }) as const;
const range = (min: number, max: number, help: string) =>
  ({ kind: 'range', default: { min, max } as Range, help }) as const;
const strings = (help: string) => ({ kind: 'strings', default: [] as readonly string[], help }) as const;
const choice = <const C extends readonly string[]>(choices: C, value: C[number], help: string) =>
  ({ kind: 'choice', choices, default: value, help }) as const;

export const EXPANDERS = [
  'random',
  'least-waste',
  'least-nodes',
  'most-pods',
  'priority',
  'price',
  'external',
] as const;
export type ExpanderName = (typeof EXPANDERS)[number];

/** Options that hold for the whole cluster. */
export const CLUSTER_OPTIONS = {
  expander: {
    kind: 'choices',
    choices: EXPANDERS,
    default: ['least-waste'] as readonly string[],
    help: 'Strategy for choosing among the node groups that could hold the pending pods. Several form a chain: each breaks the ties of the one before it, and the last ties are broken at random, by the seed.',
  },
  externalExpander: {
    kind: 'functionArn',
    default: '',
    help: 'ARN of the Lambda function that the expander external asks, with a version or an alias if wanted. See [the external expander](external-expander.md).',
  },
  namespace: {
    kind: 'namespace',
    default: 'kube-system',
    help: 'Namespace of the ConfigMap cluster-autoscaler-priority-expander, which the priority expander reads, and of the ConfigMap with the status.',
  },
  writeStatusConfigmap: boolean(
    true,
    'Write the status of the cluster and its node groups into a ConfigMap whenever it changes. The events that are about no pod and no node are recorded there.',
  ),
  statusConfigMapName: {
    kind: 'objectName',
    default: 'cluster-autoscaler-status',
    help: 'Name of the ConfigMap with the status.',
  },
  nearTieRatio: number(
    0.02,
    'Node groups whose least-waste or price score is within this share of the best count as tied. The group with the smallest nodes wins, because small nodes can be removed one at a time. 0 compares exactly.',
    { max: 1, clusterAutoscaler: 0 },
  ),
  parallelScaleUp: boolean(
    true,
    'Accepted for compatibility and without effect: the sizes of node groups are always set in parallel, and a failure in one group does not delay the others.',
    { clusterAutoscaler: false },
  ),
  scaleupSimulationForSkippedNodeGroupsEnabled: boolean(
    false,
    'If a pod does not fit a skipped node group, report why the pod does not fit, instead of why the group is skipped.',
  ),
  balanceSimilarNodeGroups: boolean(
    true,
    'Split a scale-up over similar node groups (those that differ only in their zone) to keep their sizes balanced.',
    { clusterAutoscaler: false },
  ),
  balancingIgnoreLabel: strings(
    'Labels to ignore when node groups are compared for similarity, in addition to the built-in ones.',
  ),
  balancingLabel: strings('Compare node groups by these labels only. Cannot be combined with balancingIgnoreLabel.'),
  memoryDifferenceRatio: number(0.015, 'Largest relative difference in memory capacity between similar node groups.', {
    max: 1,
  }),
  maxFreeDifferenceRatio: number(0.05, 'Largest relative difference in free resources between similar node groups.', {
    max: 1,
  }),
  maxAllocatableDifferenceRatio: number(
    0.05,
    'Largest relative difference in allocatable resources between similar node groups.',
    { max: 1 },
  ),
  maxNodesTotal: integer(
    0,
    'Maximum number of nodes in the cluster, including nodes outside node groups and upcoming nodes. 0 = unlimited.',
  ),
  coresTotal: range(0, 320_000, 'Minimum and maximum number of CPU cores in the cluster.'),
  memoryTotal: range(0, 6_400_000, 'Minimum and maximum memory in the cluster, in GiB.'),
  gpuTotal: {
    kind: 'gpuRanges',
    default: [] as readonly GpuRange[],
    help: 'Minimum and maximum number of GPUs of one type in the cluster, as type:min:max. The type is the value of the GPU label.',
  },
  mixedGroupTemplates: {
    kind: 'choice',
    choices: ['each', 'smallest', 'first'],
    default: 'each',
    clusterAutoscaler: 'first',
    help: 'Template for a node group with several instance types or zones: each simulates all of them and counts only on what every one can hold, smallest takes the smallest type, first takes the first.',
  },
  maxNodesPerScaleup: integer(
    1_000,
    'Maximum number of nodes added for pods in one evaluation. The rest is left to the next evaluation, which follows immediately. Only an all-or-nothing node group may exceed it, and is then the only one to grow. 0 = unlimited.',
  ),
  maxNodegroupBinpackingDuration: duration(
    seconds(10),
    'Budget for estimating one node group; the estimate stops when it is spent. Counted in scheduler checks (100 per millisecond), not wall time. 0 = unlimited.',
  ),
  maxBinpackingTime: duration(
    minutes(5),
    'Budget for estimating all node groups in one scale-up; node groups not reached are skipped. Counted in scheduler checks. 0 = unlimited.',
  ),
  scaleUpFromZero: boolean(true, 'Allow scale-up when the cluster has no ready node.'),
  capacityBuffers: boolean(
    false,
    'Hold capacity for the CapacityBuffers of the cluster (autoscaling.x-k8s.io/v1beta1): their virtual pods count as pending. Their status is written. Needs the custom resource.',
  ),
  enableProactiveScaleup: boolean(
    false,
    'Count the pods that ReplicaSets, StatefulSets, ReplicationControllers and Jobs are about to create as pending, as soon as one of their pods exists: a large Deployment gets its nodes at once.',
  ),
  podInjectionLimit: integer(
    5_000,
    'Largest number of pods that enableProactiveScaleup adds to an evaluation, shared fairly among namespaces.',
  ),
  provisioningRequests: boolean(
    false,
    'Answer the ProvisioningRequests of the cluster (autoscaling.x-k8s.io/v1) of the classes check-capacity and best-effort-atomic-scale-up. Their capacity is held, and their status written. Pods that consume a request cause no scale-up. Needs the custom resource.',
  ),
  capacityQuotas: boolean(
    false,
    'Keep to the CapacityQuotas of the cluster (autoscaling.x-k8s.io/v1beta1): no node is added that exceeds a quota whose selector selects the node. Needs the custom resource.',
  ),
  maxHeadroomPerNamespace: integer(
    250,
    'Maximum number of pods for which capacity is held at a time for the CapacityBuffers and ProvisioningRequests of one namespace. 0 = unlimited.',
    { clusterAutoscaler: 0 },
  ),
  incrementalReads: boolean(
    false,
    'Keep long lists of nodes, pods, ReplicaSets and Jobs from one evaluation to the next, and watch their changes instead of reading them again. A list is read in full where a watch fails.',
  ),
  incrementalReadsFrom: integer(
    5_000,
    'Number of pods from which incrementalReads keeps their list; a tenth of it for nodes, and a quarter for ReplicaSets and Jobs. Shorter lists are read in full, which takes no longer than a watch.',
  ),
  salvoScaleUp: boolean(
    true,
    'Make several scale-up decisions in one evaluation, until no node group could hold any of the remaining pods.',
    {
      clusterAutoscaler: false,
    },
  ),
  salvoScaleUpBudget: duration(
    minutes(1),
    'Budget for all scale-up decisions of one evaluation; none is started after it is spent, and the remaining pods are left to the next evaluation. Counted in scheduler checks. 0 = unlimited.',
  ),
  expendablePodsPriorityCutoff: {
    kind: 'integer',
    default: -10,
    min: Number.MIN_SAFE_INTEGER,
    help: 'Pods with a priority below this neither cause a scale-up nor block the removal of their node.',
  },
  newPodScaleUpDelay: duration(seconds(0), 'Ignore pods younger than this.'),
  unschedulablePodTimeBuffer: duration(
    seconds(0),
    'Do not scale up while all pending pods are younger than this, since more may follow.',
    { clusterAutoscaler: seconds(2) },
  ),
  unschedulablePodWithGpuTimeBuffer: duration(
    seconds(0),
    'Do not scale up while pending pods request GPUs and all of those are younger than this.',
    { clusterAutoscaler: seconds(30) },
  ),
  bypassedSchedulerNames: strings(
    'Schedulers whose pods count as unschedulable before the scheduler has processed them. If any is set, the two buffers above do not apply.',
  ),
  allowedSchedulerNames: strings('Schedulers whose pods may cause a scale-up. Empty = all.'),
  forceDs: boolean(
    true,
    'Plan new nodes with the pods of every DaemonSet that kube-scheduler would place there, including DaemonSets without a pod on existing nodes of the group.',
    {
      clusterAutoscaler: false,
    },
  ),
  initialNodeGroupBackoffDuration: duration(minutes(5), 'Backoff of a node group after its first failed scale-up.'),
  maxNodeGroupBackoffDuration: duration(minutes(30), 'Maximum backoff of a node group after a failed scale-up.'),
  nodeGroupBackoffResetTimeout: duration(
    minutes(180),
    'Time without a failure after which the backoff starts again from its initial duration.',
  ),
  okTotalUnreadyCount: integer(3, 'Number of unready nodes that is always acceptable, whatever the percentage.'),
  maxTotalUnreadyPercentage: number(
    45,
    'Maximum percentage of unready nodes; above it the cluster is unhealthy and nothing is scaled.',
    { max: 100 },
  ),
  startupTaint: strings(
    'Keys of taints that a node has only while it starts. The node counts as not ready until they are removed.',
  ),
  startupTaintPrefix: strings('Prefixes of startup taint keys.'),
  statusTaint: strings('Keys of taints that describe a temporary condition of a node. They are left out of templates.'),
  enforceNodeGroupMinSize: boolean(false, 'Scale node groups up to their minimum size even when no pod is pending.'),
  forceDeleteUnregisteredNodes: boolean(
    false,
    'Delete instances that did not register as nodes even when their node group is at its minimum size.',
  ),
  forceDeleteFailedNodes: boolean(
    false,
    'Delete instances that failed to launch even when their node group is at its minimum size.',
  ),
  scaleDownUnreadyEnabled: boolean(true, 'Allow the removal of unready nodes.'),
  scaleDownDelayAfterAdd: duration(minutes(10), 'Time after a scale-up before scale-down resumes.'),
  scaleDownDelayAfterDelete: duration(
    seconds(0),
    'Time after the removal of a node has begun, and again after it has ended, before scale-down resumes.',
  ),
  scaleDownDelayAfterFailure: duration(minutes(3), 'Time after a failed removal before scale-down resumes.'),
  scaleDownDelayTypeLocal: boolean(false, 'Apply the three scale-down delays to each node group separately.'),
  maxScaleDownParallelism: integer(10, 'Maximum number of nodes being removed at the same time, empty or not.'),
  maxDrainParallelism: integer(5, 'Maximum number of nodes being drained at the same time.', { clusterAutoscaler: 1 }),
  unremovableNodeRecheckTimeout: duration(
    minutes(5),
    'Time before a node that was found unremovable is simulated again.',
  ),
  idleEvaluationInterval: duration(
    minutes(5),
    'Time after which the next scan is a full evaluation while the cluster is idle: no pod is pending, no node is unneeded, nothing is under way, and group sizes and numbers of nodes and pods are unchanged. Until then scans end after a change check. 0 = every scan is a full evaluation.',
    { clusterAutoscaler: seconds(0) },
  ),
  decisionHistory: duration(
    minutes(7 * 24 * 60),
    'Time for which decisions with a new result are kept, with their input where that is small enough: for outrigger history, replay and explain --since. 0 = none is kept.',
  ),
  scaleDownSimulationTimeout: duration(
    seconds(30),
    'Budget for finding unneeded nodes in one evaluation, and again for consolidation. Counted in scheduler checks (100 per millisecond), not wall time, so that equal input gives equal output. 0 = nothing is tried.',
  ),
  nodeDeletionCandidateTtl: duration(
    seconds(0),
    'Without stored state, nodes with a soft taint no older than this count as unneeded since the time in the taint (with nodeLifecycleTaints: in the annotation outrigger.dev/unneeded-since). 0 = ignore existing soft taints.',
  ),
  ignoreMirrorPodsUtilization: boolean(false, 'Exclude mirror pods from the utilization of a node.'),
  nodeDeleteDelayAfterTaint: duration(
    seconds(5),
    'Time between tainting a node and the final check of its pods, so that the scheduler has seen the taint.',
  ),
  cordonNodeBeforeTerminating: boolean(true, 'Cordon a node in addition to the taint before it is removed.'),
  nodeLifecycleTaints: boolean(
    false,
    'Mark nodes with the taint node-lifecycle.kubernetes.io/disruption (candidate, disrupting) instead of DeletionCandidateOfClusterAutoscaler and ToBeDeletedByClusterAutoscaler. Pods that tolerate it are not evicted, and pods are evicted by priority (docs/drain.md).',
  ),
  maxGracefulTerminationSec: integer(600, 'Maximum number of seconds an evicted pod is given to terminate.'),
  drainPriorityConfig: {
    kind: 'drainPriorities',
    default: [] as readonly DrainPriority[],
    help: 'Eviction order and grace periods by pod priority, as priority:seconds,…: each tier is evicted after the one below it has terminated, and seconds replaces maxGracefulTerminationSec for pods of that priority and above. DaemonSet pods follow the other pods of their tier. Empty: non-critical pods, then critical ones, then DaemonSets (with nodeLifecycleTaints: non-critical pods and DaemonSets, then critical ones).',
  },
  maxPodEvictionTime: duration(
    minutes(2),
    'Time for which a refused eviction is retried before the drain is rolled back.',
  ),
  daemonsetEvictionForEmptyNodes: boolean(false, 'Evict DaemonSet pods from empty nodes.'),
  daemonsetEvictionForOccupiedNodes: boolean(true, 'Evict DaemonSet pods from non-empty nodes, after the other pods.'),
  nodeDeletionDelayTimeout: duration(
    minutes(2),
    'Maximum time that annotations delay-deletion.cluster-autoscaler.kubernetes.io/… may delay the termination of the instance of a drained node.',
  ),
  maxBulkSoftTaintCount: integer(
    10,
    'Maximum number of soft taints added or removed in one evaluation. 0 = no soft taints; existing ones are removed.',
  ),
  maxBulkSoftTaintTime: duration(seconds(3), 'Maximum time spent on changing soft taints in one evaluation.'),
  skipNodesWithSystemPods: boolean(
    true,
    'Do not remove nodes with kube-system pods that no PodDisruptionBudget covers, until blockingSystemPodDistruptionTimeout has passed.',
  ),
  blockingSystemPodDistruptionTimeout: duration(
    minutes(60),
    'Age at which a kube-system pod without a PodDisruptionBudget no longer blocks the removal of its node.',
  ),
  skipNodesWithLocalStorage: boolean(
    true,
    'Do not remove nodes with pods that use local storage: a hostPath, or an emptyDir that is not in memory.',
  ),
  skipNodesWithCustomControllerPods: boolean(
    true,
    'Do not remove nodes with pods of controllers other than ReplicaSets, StatefulSets, Jobs and ReplicationControllers.',
  ),
  prices: {
    kind: 'prices',
    default: [] as readonly StatedPrice[],
    help: 'What nodes really cost, instead of the price of the cloud or of a tag: `{type, zone, capacityType, price, covered}`, USD per hour. The fields type, zone and capacityType select the nodes, and covered is the number of nodes at this price (savings plans, reserved instances). The first entry that matches a node holds ([consolidation](consolidation.md)).',
  },
  reservedCapacity: boolean(
    false,
    'Read the reserved instances, capacity reservations, capacity blocks and savings plans of the account. Where decisions go by prices, nodes that are paid for in any case cost nothing more, and are launched first ([consolidation](consolidation.md#capacity-that-is-paid-for)).',
  ),
  jobProtectionAge: duration(
    minutes(5),
    'Do not remove nodes with pods of Jobs that have run for longer than this, until they are done: an evicted Job starts again from the beginning. Younger Jobs may be evicted. 0 = the age of Jobs makes no difference.',
    { clusterAutoscaler: seconds(0) },
  ),
  consolidationHorizon: duration(
    seconds(0),
    'Time within which a consolidation must pay: it must save twice what its moves cost. 0 = the age of the node, which is the best guess of its remaining life; for a replacement no longer than half the time since a node was launched for pending pods.',
  ),
  consolidationMaxMovesPerDay: integer(
    0,
    'Maximum number of pods that consolidation evicts in 24 hours. 0 = unlimited.',
  ),
  consolidationMaxMovesPerPod: integer(
    4,
    'Maximum number of times in 24 hours that consolidation moves the pods of one controller, on average over these. 0 = unlimited. Whatever it is, consolidation moves no pod twice within an hour.',
  ),
  minReplicaCount: integer(
    0,
    'Do not remove nodes with pods of a ReplicaSet or ReplicationController with fewer replicas than this. Requires skipNodesWithCustomControllerPods.',
  ),
} as const satisfies Readonly<Record<string, OptionSpec>>;

/** Options that a node group may override (`nodeGroups[].options`, or tags). */
export const GROUP_OPTIONS = {
  scaleDownEnabled: boolean(
    true,
    'Remove unneeded nodes. When false for the cluster, it is false for every node group.',
  ),
  maxNodeProvisionTime: duration(
    minutes(15),
    'Time from a scale-up request until the node must have registered; after that the request has failed.',
  ),
  maxNodeStartupTime: duration(
    minutes(15),
    'Time from registration until a node must be ready; after that it counts as unready.',
  ),
  scaleDownUtilizationThreshold: number(
    0.5,
    'Utilization (requested by allocatable, the higher of CPU and memory) below which a node may be unneeded.',
  ),
  scaleDownGpuUtilizationThreshold: number(
    0.5,
    'Utilization of GPUs below which a node with GPUs may be unneeded. Its CPU and memory are not considered.',
  ),
  scaleDownUnneededTime: {
    kind: 'durationOrAuto',
    default: minutes(10),
    help: 'Time for which a node must be unneeded before it is removed. auto: learned for each node group, between 1m and 10m, from how often nodes were launched again soon after others were removed; scaleDownDelayAfterAdd then holds its nodes no longer than that.',
  },
  scaleDownUnreadyTime: duration(minutes(20), 'Time for which an unready node must be unneeded before it is removed.'),
  ignoreDaemonSetsUtilization: boolean(false, 'Exclude DaemonSet pods from the utilization of a node.'),
  zeroOrMaxNodeScaling: boolean(
    false,
    'Scale this node group only between zero and its maximum size, all nodes at once.',
  ),
  maxCostPerHour: number(
    0,
    'Maximum cost of the nodes in USD per hour, at the prices that consolidation goes by; a node group without a price counts at reference prices of its resources. That of the cluster counts the nodes of all node groups, that of a node group its own nodes. Nodes that exist are kept. Prices are read from AWS where the cluster sets it; where a node group alone does, state them by prices or tags. 0 = unlimited.',
  ),
  plannedPlacement: boolean(
    false,
    'Nominate pods to the new node that was launched for them, before kube-scheduler may use the node: the nodes register with the taint `outrigger.dev/awaiting-pods:NoSchedule`, which is removed as soon as they are ready ([planned-placement.md](planned-placement.md)). When false for the cluster, it is false for every node group.',
  ),
  disruptionBudgets: {
    kind: 'disruptionBudgets',
    default: [] as readonly NodeBudget[],
    help: 'Number or percentage of nodes that may be unavailable at a time, at all times or by a schedule. A budget is for all reasons, or some of `empty`, `underutilized`, `drifted`, `expired`, `unhealthy`. Those of the cluster count over all node groups together, those of a node group over its nodes; the most restrictive one holds ([budgets.md](budgets.md)).',
  },
  consolidation: choice(
    ['off', 'delete', 'replace'],
    'off',
    'Remove nodes whose pods fit elsewhere, whatever their utilization (delete); and also replace one or several nodes by cheaper ones, which are ready before any pod is evicted (replace).',
  ),
  consolidateAfter: duration(minutes(5), 'Time since the last pod came to a node after which it may be consolidated.'),
  consolidationMinNodeAge: duration(minutes(10), 'Age below which a node is not consolidated.'),
  consolidationMinSaving: number(0.05, 'Least share of the cost of the replaced nodes that a replacement must save.', {
    max: 1,
  }),
  consolidationUtilizationThreshold: number(
    1,
    'Utilization (as for scaleDownUtilizationThreshold) above which a node is not consolidated.',
  ),
  fillOldestNodesFirst: boolean(
    false,
    'Let kube-scheduler fill older nodes before younger ones, by up to three PreferNoSchedule taints on the youngest three quarters of the nodes (docs/scale-down.md). Without this option, kube-scheduler spreads pods over all nodes, so fewer nodes become unneeded.',
  ),
  capacitySchedules: {
    kind: 'capacitySchedules',
    default: [] as readonly CapacitySchedule[],
    help: 'Minimum of nodes, CPU or memory of a node group at some times, whatever its pods need: 3 nodes from 8 to 18 on workdays, for instance. Given for the whole cluster, they are for each node group that has none of its own ([schedules.md](schedules.md)).',
  },
  spotInterruption: choice(
    ['drain', 'ignore'],
    'drain',
    'On the interruption notice of a Spot instance: drain its node within the time that is left, and launch its replacement at once; or leave it to AWS.',
  ),
  scheduledChange: choice(
    ['drain', 'ignore'],
    'drain',
    'On scheduled maintenance or the end of a capacity reservation: drain the node from one hour before its instance ends; or leave it to AWS.',
  ),
  rebalanceRecommendation: choice(
    ['ignore', 'cordon', 'replace'],
    'ignore',
    'On a rebalance recommendation, which says that a Spot instance is more likely than others to be interrupted: ignore it; cordon the node; or launch its replacement, and drain the node once its pods have capacity on ready nodes.',
  ),
  driftReplacement: choice(
    ['off', 'replace'],
    'off',
    'Replace nodes that were made from another launch template, or another version of it, than their node group launches now. Capacity for their pods is ready first.',
  ),
  expireAfter: duration(
    seconds(0),
    'Age by which nodes are replaced. Each is due up to a tenth of it earlier, so that nodes that were added together are not replaced together. 0 = never.',
  ),
  nodeRepair: choice(
    ['off', 'replace'],
    'off',
    'Replace nodes that have not been ready for 30 minutes, or report another problem for as long. None is replaced while more than 20 % of the nodes of the group or of the cluster have a problem.',
  ),
} as const satisfies Readonly<Record<string, OptionSpec>>;

type Values<T extends Readonly<Record<keyof T, OptionSpec>>> = {
  readonly [K in keyof T]: Extract<OptionSpec, { readonly kind: T[K]['kind'] }>['default'];
};

export type GroupOptions = Values<typeof GROUP_OPTIONS>;
export type Options = Values<typeof CLUSTER_OPTIONS> & GroupOptions;

export type OptionDefaults = 'outrigger' | 'cluster-autoscaler';

/** All defaults: Outrigger's own, or Cluster Autoscaler's where the two differ. */
export function defaultOptions(defaults: OptionDefaults = 'outrigger'): Options {
  const values: Record<string, unknown> = {};
  const table: Readonly<Record<string, OptionSpec>> = { ...CLUSTER_OPTIONS, ...GROUP_OPTIONS };
  for (const [name, spec] of Object.entries(table)) {
    values[name] =
      defaults === 'cluster-autoscaler' && spec.clusterAutoscaler !== undefined ? spec.clusterAutoscaler : spec.default;
  }
  return values as Options;
}
