import { present } from './values/present.ts';
import type { DrainPhase } from './drain.ts';

/** A metric that the functions publish. */
export interface MetricMeaning {
  /** The functions that publish the metric. */
  readonly of: readonly ('ingest' | 'wake' | 'scale-up' | 'scale-down' | 'actuate' | 'drain')[];
  readonly unit: 'Count' | 'Milliseconds';
  readonly meaning: string;
  /** The metric of Cluster Autoscaler with the same meaning, without its prefix `cluster_autoscaler_`; absent: it has none. */
  readonly like?: string;
}

type Of = MetricMeaning['of'];
const count = (of: Of, meaning: string, like?: string): MetricMeaning => ({
  of,
  unit: 'Count',
  meaning,
  ...present({ like }),
});
const time = (of: Of, meaning: string, like?: string): MetricMeaning => ({
  ...count(of, meaning, like),
  unit: 'Milliseconds',
});

const EVALUATIONS = ['scale-up', 'scale-down'] as const;
const STORED = ['wake', 'scale-up', 'scale-down', 'actuate', 'drain'] as const;

/** Every metric, by the name that it is published with; those of the phases of drains are named by `Drain` and the phase. */
export const METRICS = {
  PendingPods: count(['scale-up'], 'Pending pods', 'unschedulable_pods_count'),
  ScaleUpNodes: count(['scale-up'], 'Nodes added by decisions', 'scaled_up_nodes_total'),
  PendingToDecisionMs: time(['scale-up'], 'How long the oldest pod of a scale-up had waited when it was decided'),
  TimeToCapacityMs: time(
    ['scale-up'],
    'From the creation of a pod to the readiness of the node that it has, where that became ready later: of each such pod, of more than a hundred a sample',
  ),
  Repairs: count(
    ['scale-up'],
    'Corrections of target sizes ([cluster-state.md](cluster-state.md#repairs))',
    'old_unregistered_nodes_removed_count',
  ),
  NeedsCorrection: count(
    ['scale-up'],
    'Problems for the alarm of that name ([troubleshooting.md](troubleshooting.md#needscorrection))',
  ),
  DeferredPods: count(
    ['scale-up'],
    'Pods that an evaluation had no time for, up to 200: the next one considers them first ([decision 14](decisions/0014-what-is-followed-of-a-pod.md))',
  ),
  CostLimited: count(['scale-up'], 'Node groups that do not grow because of maxCostPerHour'),
  GroupsToCorrect: count(
    ['scale-up'],
    'Node groups whose launches fail until they are corrected',
    'node_group_backoff_status',
  ),
  ClusterUnhealthy: count(['scale-up'], '1 while too many nodes are not ready', 'cluster_safe_to_autoscale'),
  Paused: count(['scale-up'], '[Pauses](pause.md) in force that do not end by themselves'),
  LongPause: count(['scale-up'], '1 while a pause without an end has been in force for longer than a day'),
  LongPendingPods: count(
    ['scale-up'],
    '1 while pods have waited for longer than ten minutes that a node group could hold',
  ),
  WebhookSilent: count(['scale-up'], '1 while a pod is pending without a webhook notification'),
  NodeTainted: count(['scale-up'], 'Nodes that are tainted for longer than a drain may take', 'node_taints_count'),
  NodeAwaitingPods: count(
    ['scale-up'],
    'Nodes that have been ready for longer than a minute, and still await their pods',
  ),
  ReleasedNodes: count(
    EVALUATIONS,
    'Nodes that kube-scheduler may use from then on ([planned-placement.md](planned-placement.md))',
  ),
  FailedNominations: count(['scale-up'], 'Pods that could not be nominated to the node that is reserved for them'),
  DeadLetters: count(['scale-up'], 'Wake-ups that were dropped after five failures'),
  FailedEvaluations: count(['scale-up'], 'Evaluations that failed', 'errors_total'),
  DelayedWakeUps: count(['scale-up'], 'Wake-ups that were delayed, because earlier ones changed nothing'),
  MalformedWakeUps: count(['scale-up'], 'Messages of the queue that are no wake-ups'),
  VersionConflicts: count(
    EVALUATIONS,
    'Evaluations that were repeated, because another one was committed in the meantime',
  ),
  DeferredScaleDowns: count(['scale-down'], 'Evaluations of scale-down that were left to the next minute'),
  UnneededNodes: count(['scale-down'], 'Nodes that are unneeded', 'unneeded_nodes_count'),
  ScaleDownNodes: count(['scale-down'], 'Unneeded nodes whose removal begins', 'pending_node_deletions'),
  RejectedObjects: count(
    EVALUATIONS,
    'Objects of the cluster that cannot be read ([unreadable-objects.md](unreadable-objects.md))',
  ),
  CachedListDifferences: count(
    EVALUATIONS,
    'Differences between a cached list and the full list ([large-clusters.md](large-clusters.md))',
  ),
  SnapshotsUsed: count(
    EVALUATIONS,
    'Lists that a cold start has begun with a snapshot ([large-clusters.md](large-clusters.md#cold-starts))',
  ),
  SnapshotsNotUsed: count(
    EVALUATIONS,
    'Lists that a cold start has read in full, though there is a bucket for snapshots; the log says why ([reasons.md](reasons.md#what-becomes-of-snapshots))',
  ),
  SnapshotsStored: count(['scale-down'], 'Snapshots of lists that were stored'),
  UnexpectedErrors: count(EVALUATIONS, 'Internal errors, each limited to the object that caused it', 'errors_total'),
  HistoryFailures: count(EVALUATIONS, 'Decisions that could not be kept in the history'),
  QuarantinedItems: count(STORED, 'Stored items that cannot be read'),
  OmittedFromState: count(EVALUATIONS, 'Parts of the state that were too large to be stored'),
  AbridgedPods: count(['drain'], 'Evicted pods that were too large to be stored whole'),
  SizesSet: count(['actuate'], 'Sizes that were set'),
  SizesRefused: count(['actuate'], 'Sizes that were refused by a check'),
  SizesFailed: count(['actuate'], 'Sizes that AWS or the API server has refused', 'failed_scale_ups_total'),
  DeletionsDone: count(
    ['actuate'],
    'Instances without a node that were terminated',
    'old_unregistered_nodes_removed_count',
  ),
  DeletionsRefused: count(['actuate'], 'Terminations of such instances that were refused by a check'),
  DeletionsFailed: count(['actuate'], 'Terminations of such instances that have failed'),
  RemovalsStarted: count(['actuate'], 'Drains that were begun'),
  RemovalsRefused: count(['actuate'], 'Drains that were refused by a check'),
  RemovalsFailed: count(['actuate'], 'Drains that could not be begun'),
  DrainsRestarted: count(['actuate'], 'Drains that had lost their driver and are resumed'),
  NodesRemoved: count(['drain'], 'Drains that have ended with the removal of the node', 'scaled_down_nodes_total'),
  DrainsRolledBack: count(['drain'], 'Drains that have ended without it'),
  DrainTime: time(['drain'], 'How long a drain has taken', 'node_removal_latency_seconds'),
  WebhookNotifications: count(['ingest'], 'Calls of the webhook with a valid token'),
  RejectedCalls: count(['ingest'], 'Calls without a valid token'),
  UnknownClusters: count(['ingest'], 'Calls for another cluster'),
  UnreadableReviews: count(['ingest'], 'Calls with a body that is no review'),
  RepeatedCalls: count(['ingest'], 'Calls that were made before, and are sent again'),
  FailedWakeUps: count(['ingest'], 'Wake-ups that could not be sent'),
  UnreadableEvents: count(
    ['wake'],
    '[Events](interruption-handling.md#how-a-notice-arrives) about instances that cannot be read, and are dropped',
  ),
} as const satisfies Readonly<Record<string, MetricMeaning>>;

export type MetricName = keyof typeof METRICS | `Drain${DrainPhase}`;
