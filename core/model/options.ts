import { type DurationMs, minutes, seconds } from './time.ts';

/**
 * Every option, once: the parser at the edge, the types below and the table in the documentation come from here.
 * Names are Cluster Autoscaler's flags in camelCase, spelt as it spells them. `clusterAutoscaler` is its default where
 * Outrigger's differs.
 */
interface Described<T> {
  readonly default: T;
  readonly clusterAutoscaler?: T;
  readonly help: string;
}

export type OptionSpec =
  | (Described<boolean> & { readonly kind: 'boolean' })
  | (Described<number> & { readonly kind: 'integer'; readonly min: number })
  | (Described<number> & { readonly kind: 'number'; readonly min: number; readonly max: number })
  | (Described<DurationMs> & { readonly kind: 'duration' })
  | (Described<string> & { readonly kind: 'string' })
  | (Described<string> & { readonly kind: 'namespace' })
  | (Described<readonly string[]> & { readonly kind: 'strings' })
  | (Described<string> & { readonly kind: 'choice'; readonly choices: readonly string[] })
  | (Described<readonly string[]> & { readonly kind: 'choices'; readonly choices: readonly string[] })
  | (Described<Range> & { readonly kind: 'range' })
  | (Described<readonly string[]> & { readonly kind: 'gpuRanges' })
  | (Described<readonly DrainPriority[]> & { readonly kind: 'drainPriorities' });

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

export const EXPANDERS = ['random', 'least-waste', 'least-nodes', 'most-pods', 'priority', 'price'] as const;
export type ExpanderName = (typeof EXPANDERS)[number];

/** Options that hold for the whole cluster. */
export const CLUSTER_OPTIONS = {
  expander: {
    kind: 'choices',
    choices: EXPANDERS,
    default: ['least-waste'] as readonly string[],
    help: 'How to choose among node groups that help; several make a chain, ties left over are broken at random (by the seed).',
  },
  namespace: {
    kind: 'namespace',
    default: 'kube-system',
    help: 'Where the ConfigMap cluster-autoscaler-priority-expander of the expander priority is.',
  },
  nearTieRatio: number(
    0.02,
    'Among node groups whose least-waste or price score is within this share of the best, the one with the smallest nodes wins: small ones can go one by one. 0 is only the best.',
    { max: 1, clusterAutoscaler: 0 },
  ),
  parallelScaleUp: boolean(
    true,
    "Accepted for the sake of Cluster Autoscaler's flag, and without effect: the sizes of all node groups are always set each on its own, at the same time, and one that cannot be set keeps no other back.",
    { clusterAutoscaler: false },
  ),
  scaleupSimulationForSkippedNodeGroupsEnabled: boolean(
    false,
    'Of a node group that is skipped, say to each pod that it would not hold why it would not, instead of why the group is skipped.',
  ),
  balanceSimilarNodeGroups: boolean(
    true,
    'Split a scale-up over node groups that differ only in their zone, to keep their sizes alike.',
    { clusterAutoscaler: false },
  ),
  balancingIgnoreLabel: strings('Labels, besides the usual ones, that similar node groups may differ in.'),
  balancingLabel: strings('Compare node groups by these labels alone; excludes balancingIgnoreLabel.'),
  memoryDifferenceRatio: number(0.015, 'How far the memory capacity of similar node groups may be apart.', { max: 1 }),
  maxFreeDifferenceRatio: number(0.05, 'How far the free resources of similar node groups may be apart.', { max: 1 }),
  maxAllocatableDifferenceRatio: number(
    0.05,
    'How far the allocatable resources of similar node groups may be apart.',
    { max: 1 },
  ),
  maxNodesTotal: integer(
    0,
    'Most nodes in the cluster, those of no node group and those on their way included; 0 is no limit.',
  ),
  coresTotal: range(0, 320_000, 'Fewest and most CPU cores in the cluster.'),
  memoryTotal: range(0, 6_400_000, 'Smallest and largest memory of the cluster, in GiB.'),
  gpuTotal: {
    kind: 'gpuRanges',
    default: [] as readonly string[],
    help: 'Fewest and most GPUs of a type in the cluster, as type:min:max; the type is the value of the GPU label.',
  },
  mixedGroupTemplates: {
    kind: 'choice',
    choices: ['each', 'smallest', 'first'],
    default: 'each',
    clusterAutoscaler: 'first',
    help: 'What a new node of a group of several instance types or zones is taken for: only what each of them can hold, the smallest, or the first.',
  },
  maxNodesPerScaleup: integer(
    1_000,
    'Most nodes that one evaluation adds for pods, all its decisions together; 0 is no limit. What is left is for the next evaluation, which follows at once. Only a node group that grows all or nothing may pass it, and then comes alone.',
  ),
  maxNodegroupBinpackingDuration: duration(
    seconds(10),
    'How much is simulated to find how many nodes of one node group would help; no more are added then. It is counted as that of scaleDownSimulationTimeout is; 0 is no limit.',
  ),
  maxBinpackingTime: duration(
    minutes(5),
    'The same for all node groups that one decision chooses among: those that are left are not looked at.',
  ),
  scaleUpFromZero: boolean(true, 'Scale up a cluster that has no ready node.'),
  salvoScaleUp: boolean(true, 'Take several scale-up decisions in one evaluation, until nothing more can be helped.', {
    clusterAutoscaler: false,
  }),
  salvoScaleUpBudget: duration(
    minutes(1),
    'The same for all decisions of one evaluation: none begins when it is used up, and what is left waits for the next evaluation.',
  ),
  packingImprovementRatio: number(
    1.05,
    'Try other ways of packing when a plan costs more than this multiple of what no plan can be below, and take the cheapest; 0 is never.',
    { clusterAutoscaler: 0 },
  ),
  packingImprovementBudget: integer(
    150_000,
    'How many questions to the scheduler one evaluation may spend on planning in other ways, the first plan included.',
  ),
  predictedPlacementRatio: number(
    1.05,
    'Foresee where kube-scheduler, which spreads pods, will put them on the new nodes, and buy the nodes that are missing at once while all together cost no more than this multiple of the packed plan. 1 is only to say so, 0 not to look.',
    { clusterAutoscaler: 0 },
  ),
  predictedPlacementBudget: integer(
    300_000,
    'How many questions to the scheduler and scores of nodes one evaluation may spend on that.',
  ),
  expendablePodsPriorityCutoff: {
    kind: 'integer',
    default: -10,
    min: Number.MIN_SAFE_INTEGER,
    help: 'Pods with a lower priority neither cause a scale-up nor keep a node.',
  },
  newPodScaleUpDelay: duration(seconds(0), 'Leave pods alone that are younger than this.'),
  unschedulablePodTimeBuffer: duration(
    seconds(0),
    'Buy nothing while all pods that want a node are younger than this: more of them may be on their way.',
    { clusterAutoscaler: seconds(2) },
  ),
  unschedulablePodWithGpuTimeBuffer: duration(
    seconds(0),
    'Buy nothing while some of the pods that want a node ask for a GPU, and all these are younger than this.',
    { clusterAutoscaler: seconds(30) },
  ),
  bypassedSchedulerNames: strings(
    'Schedulers whose pods count as unschedulable before they are looked at; with any, nobody waits for pods to grow older.',
  ),
  allowedSchedulerNames: strings('Schedulers whose pods may cause a scale-up; none named is all.'),
  forceDs: boolean(
    true,
    'Keep room for every DaemonSet pod that a new node admits, on nodes like those that are there too.',
    {
      clusterAutoscaler: false,
    },
  ),
  initialNodeGroupBackoffDuration: duration(minutes(5), 'How long a node group is left alone after its first failure.'),
  maxNodeGroupBackoffDuration: duration(minutes(30), 'The longest that a node group is left alone after a failure.'),
  nodeGroupBackoffResetTimeout: duration(
    minutes(180),
    'After so long without a failure the next one counts as the first again.',
  ),
  okTotalUnreadyCount: integer(3, 'Unready nodes that are always acceptable.'),
  maxTotalUnreadyPercentage: number(45, 'Above this share of unready nodes nothing is scaled.', { max: 100 }),
  startupTaint: strings('Taints that a node bears only while it starts: it counts as not ready until they are gone.'),
  startupTaintPrefix: strings('The same for all taints whose keys begin so.'),
  statusTaint: strings('Taints that say something passing about a node: left out of templates.'),
  enforceNodeGroupMinSize: boolean(false, 'Raise node groups that are below their minimum, whether pods wait or not.'),
  forceDeleteUnregisteredNodes: boolean(
    false,
    'Replace machines that never became nodes even where their group is at its minimum.',
  ),
  forceDeleteFailedNodes: boolean(
    false,
    'Replace machines that were created with errors even where their group is at its minimum.',
  ),
  scaleDownUnreadyEnabled: boolean(true, 'Remove nodes that are not ready, too.'),
  scaleDownDelayAfterAdd: duration(minutes(10), 'How long after a scale-up no removal begins.'),
  scaleDownDelayAfterDelete: duration(seconds(0), 'How long after a node was removed no other removal begins.'),
  scaleDownDelayAfterFailure: duration(minutes(3), 'How long after a removal that failed no other one begins.'),
  scaleDownDelayTypeLocal: boolean(false, 'Count the three delays for each node group on its own.'),
  maxScaleDownParallelism: integer(10, 'Most nodes that are being removed at a time.'),
  maxDrainParallelism: integer(5, 'Most nodes that are being drained at a time.', { clusterAutoscaler: 1 }),
  unremovableNodeRecheckTimeout: duration(
    minutes(5),
    'How long a node is left alone whose pods were found to have no other place, or not to be movable.',
  ),
  scaleDownSimulationTimeout: duration(
    seconds(30),
    'How much is simulated to find unneeded nodes. It is counted, not timed, so that equal input gives equal output: 100 looks at a node for a pod for each millisecond.',
  ),
  nodeDeletionCandidateTtl: duration(
    seconds(0),
    'On a first start, a soft taint that is no older than this tells since when a node has been unneeded; with nodeLifecycleTaints the annotation outrigger.dev/unneeded-since beside it does. 0 is never.',
  ),
  ignoreMirrorPodsUtilization: boolean(false, 'Leave mirror pods out of the utilization.'),
  nodeDeleteDelayAfterTaint: duration(
    seconds(5),
    'Time from the taint on a node that is to go to the last look at what is on it: the scheduler must have seen it.',
  ),
  cordonNodeBeforeTerminating: boolean(true, 'Cordon a node that is to go, besides the taint.'),
  nodeLifecycleTaints: boolean(
    false,
    'Mark nodes by node-lifecycle.kubernetes.io/disruption (candidate, disrupting) rather than by the taints DeletionCandidateOfClusterAutoscaler and ToBeDeletedByClusterAutoscaler.',
  ),
  maxGracefulTerminationSec: integer(600, 'The longest that an evicted pod is given to end, in seconds.'),
  drainPriorityConfig: {
    kind: 'drainPriorities',
    default: [] as readonly DrainPriority[],
    help: 'Evict pods by priority, lowest first, each group once the one before it is gone: priority:seconds,…, where seconds replaces maxGracefulTerminationSec for pods of that priority and above. DaemonSet pods follow those of their group. Absent: pods that are not critical, then critical ones, then DaemonSets.',
  },
  maxPodEvictionTime: duration(minutes(2), 'How long the eviction of a pod is tried that the API server refuses.'),
  daemonsetEvictionForEmptyNodes: boolean(false, 'Evict DaemonSet pods from nodes with no other pods.'),
  daemonsetEvictionForOccupiedNodes: boolean(true, 'Evict DaemonSet pods after the others.'),
  nodeDeletionDelayTimeout: duration(
    minutes(2),
    'How long annotations delay-deletion.cluster-autoscaler.kubernetes.io/… may keep the machine of a drained node.',
  ),
  maxBulkSoftTaintCount: integer(
    10,
    'Most soft taints put on and taken off in one evaluation; 0 is no soft taints: those that are there come off.',
  ),
  maxBulkSoftTaintTime: duration(
    seconds(3),
    'No soft taint is changed later than this after the first one in an evaluation.',
  ),
  skipNodesWithSystemPods: boolean(
    true,
    'Pods of kube-system that no PodDisruptionBudget covers keep their node, for blockingSystemPodDistruptionTimeout.',
  ),
  blockingSystemPodDistruptionTimeout: duration(
    minutes(60),
    'How old a pod of kube-system without a PodDisruptionBudget must be before it keeps its node no longer.',
  ),
  skipNodesWithLocalStorage: boolean(
    true,
    'Pods with a hostPath, or an emptyDir that is not in memory, keep their node.',
  ),
  skipNodesWithCustomControllerPods: boolean(
    true,
    'Pods of controllers other than ReplicaSets, StatefulSets, Jobs and ReplicationControllers keep their node.',
  ),
  minReplicaCount: integer(
    0,
    'Pods of a ReplicaSet or ReplicationController that wants fewer replicas keep their node; needs skipNodesWithCustomControllerPods.',
  ),
} as const satisfies Readonly<Record<string, OptionSpec>>;

/** Options that a node group may override (`nodeGroups[].options`, or tags). */
export const GROUP_OPTIONS = {
  scaleDownEnabled: boolean(
    true,
    'Remove nodes that are not needed. Of the whole cluster, false holds for every node group.',
  ),
  maxNodeProvisionTime: duration(minutes(15), 'How long a node may take from request to registration.'),
  maxNodeStartupTime: duration(minutes(15), 'How long a registered node may take to become ready.'),
  scaleDownUtilizationThreshold: number(0.5, 'Nodes that are used more than this are needed.'),
  scaleDownGpuUtilizationThreshold: number(0.5, 'The same for the GPUs of nodes that have them.'),
  scaleDownUnneededTime: duration(minutes(10), 'How long a node must be unneeded before it is removed.'),
  scaleDownUnreadyTime: duration(minutes(20), 'How long an unready node must be unneeded before it is removed.'),
  ignoreDaemonSetsUtilization: boolean(false, 'Leave DaemonSet pods out of the utilization.'),
  zeroOrMaxNodeScaling: boolean(false, 'Scale this group from zero to its maximum at once, and back.'),
} as const satisfies Readonly<Record<string, OptionSpec>>;

type Value<S> = S extends { readonly kind: 'boolean' }
  ? boolean
  : S extends { readonly kind: 'integer' | 'number' }
    ? number
    : S extends { readonly kind: 'duration' }
      ? DurationMs
      : S extends { readonly kind: 'string' | 'namespace' | 'choice' }
        ? string
        : S extends { readonly kind: 'range' }
          ? Range
          : S extends { readonly kind: 'drainPriorities' }
            ? readonly DrainPriority[]
            : readonly string[];

type Values<T> = { readonly [K in keyof T]: Value<T[K]> };

export type GroupOptions = Values<typeof GROUP_OPTIONS>;
export type Options = Values<typeof CLUSTER_OPTIONS> & GroupOptions;

export type OptionDefaults = 'outrigger' | 'cluster-autoscaler';

/** All defaults: Outrigger's own, or Cluster Autoscaler's where the two differ. */
export function defaultOptions(defaults: OptionDefaults = 'outrigger'): Options {
  const values: Record<string, unknown> = {};
  const table: Readonly<Record<string, OptionSpec>> = { ...CLUSTER_OPTIONS, ...GROUP_OPTIONS };
  for (const name of Object.keys(table)) {
    const spec = table[name]!;
    values[name] =
      defaults === 'cluster-autoscaler' && spec.clusterAutoscaler !== undefined ? spec.clusterAutoscaler : spec.default;
  }
  return values as Options;
}
