interface Metric {
  readonly type: 'gauge' | 'counter' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
}

const metric = (type: Metric['type'], help: string, ...labels: readonly string[]): Metric => ({ type, help, labels });

/**
 * The metrics of `/metrics`. Metrics that begin with `cluster_autoscaler_` mean the same as in Cluster Autoscaler
 * (`cluster-autoscaler/metrics/metrics.go`), so that existing dashboards and alerts go on.
 */
export const PROMETHEUS_METRICS = {
  cluster_autoscaler_cluster_safe_to_autoscale: metric('gauge', '1 if enough nodes of the cluster are ready, else 0'),
  cluster_autoscaler_nodes_count: metric('gauge', 'Nodes by state', 'state'),
  cluster_autoscaler_node_groups_count: metric('gauge', 'Node groups that are scaled', 'node_group_type'),
  cluster_autoscaler_unschedulable_pods_count: metric('gauge', 'Pending pods', 'type'),
  cluster_autoscaler_max_nodes_count: metric('gauge', 'The option maxNodesTotal; 0: no limit'),
  cluster_autoscaler_cluster_cpu_current_cores: metric('gauge', 'Allocatable CPU of all nodes, in cores'),
  cluster_autoscaler_cluster_memory_current_bytes: metric('gauge', 'Allocatable memory of all nodes, in bytes'),
  cluster_autoscaler_last_activity: metric('gauge', 'When a function last ended, in seconds since 1970', 'activity'),
  cluster_autoscaler_pending_node_deletions: metric('gauge', 'Nodes that are being removed'),
  cluster_autoscaler_unneeded_nodes_count: metric('gauge', 'Unneeded nodes'),
  cluster_autoscaler_unremovable_nodes_count: metric('gauge', 'Nodes that are kept, by reason', 'reason'),
  cluster_autoscaler_scale_down_in_cooldown: metric('gauge', '1 if it is too early to remove a node, else 0'),
  cluster_autoscaler_node_group_min_count: metric('gauge', 'Minimum size', 'node_group'),
  cluster_autoscaler_node_group_max_count: metric('gauge', 'Maximum size', 'node_group'),
  cluster_autoscaler_node_group_target_count: metric('gauge', 'Size that the last decision wants', 'node_group'),
  cluster_autoscaler_node_group_healthiness: metric('gauge', '1 if the node group is healthy, else 0', 'node_group'),
  cluster_autoscaler_node_group_backoff_status: metric(
    'gauge',
    '1 while the node group is not tried again, by the class of the failure',
    'node_group',
    'reason',
  ),
  cluster_autoscaler_errors_total: metric('counter', 'Failed evaluations, and unexpected errors in them', 'type'),
  cluster_autoscaler_scaled_up_nodes_total: metric('counter', 'Nodes that scale-up has decided to add'),
  cluster_autoscaler_failed_scale_ups_total: metric(
    'counter',
    'Failures of launches, by the class of the failure',
    'reason',
  ),
  cluster_autoscaler_scaled_down_nodes_total: metric('counter', 'Nodes that scale-down has removed'),
  cluster_autoscaler_function_duration_seconds: metric('histogram', 'Time that a function took', 'function'),
  outrigger_changes_total: metric('counter', 'Changes of node groups, by what became of them', 'change', 'outcome'),
  outrigger_drains_rolled_back_total: metric('counter', 'Drains that something stood in the way of'),
  outrigger_repairs_total: metric('counter', 'Repairs of node groups that were decided'),
  outrigger_webhook_calls_total: metric('counter', 'Calls of the webhook, by what became of them', 'outcome'),
  outrigger_version_conflicts_total: metric('counter', 'Decisions that were dropped, as another came before'),
  outrigger_cached_list_differences_total: metric('counter', 'Differences between a cached list and the full list'),
  outrigger_time_seconds: metric(
    'histogram',
    'From pods becoming unschedulable to the decision (PendingToDecisionMs), of drains (DrainTime) and their phases',
    'of',
  ),
  outrigger_node_group_unneeded_time_seconds: metric(
    'gauge',
    'How long a node must be unneeded before it is removed: scaleDownUnneededTime, or what the group has learned',
    'node_group',
  ),
  outrigger_plan_cost_usd_per_hour: metric('gauge', 'What the nodes of the last plan cost'),
  outrigger_plan_bound_usd_per_hour: metric('gauge', 'No plan for the same pods costs less; 0: not worked out'),
} as const satisfies Readonly<Record<string, Metric>>;

export type PrometheusMetric = keyof typeof PROMETHEUS_METRICS;

/** The metrics that `outrigger exporter` serves: those that the stored decisions of a cluster have. */
export const STORED_METRICS = [
  'cluster_autoscaler_cluster_safe_to_autoscale',
  'cluster_autoscaler_nodes_count',
  'cluster_autoscaler_node_groups_count',
  'cluster_autoscaler_unschedulable_pods_count',
  'cluster_autoscaler_last_activity',
  'cluster_autoscaler_pending_node_deletions',
  'cluster_autoscaler_unneeded_nodes_count',
  'cluster_autoscaler_unremovable_nodes_count',
  'cluster_autoscaler_scale_down_in_cooldown',
  'cluster_autoscaler_node_group_min_count',
  'cluster_autoscaler_node_group_max_count',
  'cluster_autoscaler_node_group_target_count',
  'cluster_autoscaler_node_group_healthiness',
  'cluster_autoscaler_node_group_backoff_status',
] as const satisfies readonly PrometheusMetric[];

/** A count that the functions report, as a counter of `/metrics`. */
interface CounterUpdate {
  readonly metric: PrometheusMetric;
  readonly labels?: Readonly<Record<string, string>>;
}

const change = (kind: string, outcome: string): CounterUpdate => ({
  metric: 'outrigger_changes_total',
  labels: { change: kind, outcome },
});
const call = (outcome: string): CounterUpdate => ({ metric: 'outrigger_webhook_calls_total', labels: { outcome } });
const failure = (type: string): CounterUpdate => ({ metric: 'cluster_autoscaler_errors_total', labels: { type } });

/** By the functions' names. What is a number at a time, and no count of events, is taken from the decisions instead. */
export const COUNTED: Readonly<Record<string, CounterUpdate>> = {
  ScaleUpNodes: { metric: 'cluster_autoscaler_scaled_up_nodes_total' },
  NodesRemoved: { metric: 'cluster_autoscaler_scaled_down_nodes_total' },
  FailedEvaluations: failure('failedEvaluation'),
  UnexpectedErrors: failure('unexpectedError'),
  SizesSet: change('SetSize', 'done'),
  SizesRefused: change('SetSize', 'refused'),
  SizesFailed: change('SetSize', 'failed'),
  DeletionsDone: change('DeleteInstances', 'done'),
  DeletionsRefused: change('DeleteInstances', 'refused'),
  DeletionsFailed: change('DeleteInstances', 'failed'),
  RemovalsStarted: change('RemoveNodes', 'done'),
  RemovalsRefused: change('RemoveNodes', 'refused'),
  RemovalsFailed: change('RemoveNodes', 'failed'),
  DrainsRolledBack: { metric: 'outrigger_drains_rolled_back_total' },
  Repairs: { metric: 'outrigger_repairs_total' },
  WebhookNotifications: call('accepted'),
  RejectedCalls: call('rejected'),
  RepeatedCalls: call('repeated'),
  UnreadableReviews: call('unreadable'),
  UnknownClusters: call('of another cluster'),
  CachedListDifferences: { metric: 'outrigger_cached_list_differences_total' },
  VersionConflicts: { metric: 'outrigger_version_conflicts_total' },
};
