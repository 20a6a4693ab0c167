import { getOwn } from '@outrigger/core/model/values/existing.ts';
import { CLUSTER_OPTIONS, GROUP_OPTIONS, type OptionSpec, type Options } from '@outrigger/core/model/options.ts';
import { camelCase } from '@outrigger/providers/schema/options.ts';

/** The kind of value that a flag takes. A list is written as the flag several times, or with commas. */
export type FlagValue = 'boolean' | 'integer' | 'number' | 'duration' | 'string' | 'list';

/** The counterpart of a flag of Cluster Autoscaler. */
export type Counterpart =
  /** An option with the same meaning. */
  | { readonly kind: 'option'; readonly option: keyof Options }
  /** A setting of the cluster in outrigger.config.yaml. */
  | { readonly kind: 'setting'; readonly setting: string; readonly why: string }
  /** Outrigger always does this; `value` is the value of the flag that asks for it. */
  | { readonly kind: 'built in'; readonly value: string; readonly why: string }
  /** The flag has nothing to change. */
  | { readonly kind: 'meaningless'; readonly why: string }
  /** Outrigger does not do this; `value` is the value of the flag that does not ask for it either. */
  | { readonly kind: 'missing'; readonly value: string | null; readonly why: string };

export interface Flag {
  /** Without the two dashes. */
  readonly name: string;
  readonly value: FlagValue;
  readonly counterpart: Counterpart;
  /**
   * `listed`: among the parameters of Cluster Autoscaler's FAQ. `newer`: in its code, and not there yet. `removed`: of
   * older versions.
   */
  readonly version: 'listed' | 'newer' | 'removed';
}

const SPECS: Readonly<Record<string, OptionSpec>> = { ...CLUSTER_OPTIONS, ...GROUP_OPTIONS };

const VALUES: Readonly<Record<OptionSpec['kind'], FlagValue>> = {
  boolean: 'boolean',
  integer: 'integer',
  number: 'number',
  duration: 'duration',
  durationOrAuto: 'duration',
  strings: 'list',
  choices: 'list',
  gpuRanges: 'list',
  prices: 'list',
  disruptionBudgets: 'list',
  capacitySchedules: 'list',
  string: 'string',
  namespace: 'string',
  objectName: 'string',
  functionArn: 'string',
  choice: 'string',
  range: 'string',
  drainPriorities: 'string',
};

const listed = (name: string, value: FlagValue, counterpart: Counterpart): Flag => ({
  name,
  value,
  counterpart,
  version: 'listed',
});
const option = (name: string, its = camelCase(name) as keyof Options): Flag =>
  listed(name, VALUES[getOwn(SPECS, its).kind], { kind: 'option', option: its });
const setting = (name: string, value: FlagValue, its: string, why: string): Flag =>
  listed(name, value, { kind: 'setting', setting: its, why });
const builtIn = (name: string, value: FlagValue, asked: string, why: string): Flag =>
  listed(name, value, { kind: 'built in', value: asked, why });
const meaningless = (name: string, value: FlagValue, why: string): Flag =>
  listed(name, value, { kind: 'meaningless', why });
const missing = (name: string, value: FlagValue, without: string | null, why: string): Flag =>
  listed(name, value, { kind: 'missing', value: without, why });

const OPTION_FLAGS: readonly Flag[] = [
  ...[
    'expander',
    'namespace',
    'write-status-configmap',
    'status-config-map-name',
    'parallel-scale-up',
    'balance-similar-node-groups',
    'balancing-ignore-label',
    'balancing-label',
    'memory-difference-ratio',
    'max-free-difference-ratio',
    'max-allocatable-difference-ratio',
    'max-nodes-total',
    'cores-total',
    'memory-total',
    'gpu-total',
    'max-nodes-per-scaleup',
    'max-nodegroup-binpacking-duration',
    'max-binpacking-time',
    'scale-up-from-zero',
    'expendable-pods-priority-cutoff',
    'new-pod-scale-up-delay',
    'bypassed-scheduler-names',
    'allowed-scheduler-names',
    'force-ds',
    'initial-node-group-backoff-duration',
    'max-node-group-backoff-duration',
    'node-group-backoff-reset-timeout',
    'ok-total-unready-count',
    'max-total-unready-percentage',
    'startup-taint',
    'startup-taint-prefix',
    'status-taint',
    'enforce-node-group-min-size',
    'force-delete-unregistered-nodes',
    'force-delete-failed-nodes',
    'max-node-provision-time',
    'max-node-startup-time',
    'scale-down-enabled',
    'scale-down-unready-enabled',
    'scale-down-delay-after-add',
    'scale-down-delay-after-delete',
    'scale-down-delay-after-failure',
    'scale-down-delay-type-local',
    'scale-down-unneeded-time',
    'scale-down-unready-time',
    'scale-down-utilization-threshold',
    'scale-down-gpu-utilization-threshold',
    'scale-down-simulation-timeout',
    'unremovable-node-recheck-timeout',
    'max-scale-down-parallelism',
    'max-drain-parallelism',
    'node-deletion-candidate-ttl',
    'node-deletion-delay-timeout',
    'node-delete-delay-after-taint',
    'max-bulk-soft-taint-count',
    'max-bulk-soft-taint-time',
    'max-graceful-termination-sec',
    'drain-priority-config',
    'max-pod-eviction-time',
    'cordon-node-before-terminating',
    'daemonset-eviction-for-empty-nodes',
    'daemonset-eviction-for-occupied-nodes',
    'ignore-mirror-pods-utilization',
    'skip-nodes-with-system-pods',
    'skip-nodes-with-local-storage',
    'skip-nodes-with-custom-controller-pods',
    'min-replica-count',
    'blocking-system-pod-distruption-timeout',
  ].map((name) => option(name)),
  option('ignore-daemonsets-utilization', 'ignoreDaemonSetsUtilization'),
  option('ignore-taint', 'startupTaint'),
  option('capacity-buffer-pod-injection-enabled', 'capacityBuffers'),
  option('enable-provisioning-requests', 'provisioningRequests'),
  option('capacity-quotas-enabled', 'capacityQuotas'),
  option('enable-proactive-scaleup', 'enableProactiveScaleup'),
  option('pod-injection-limit', 'podInjectionLimit'),
];

const SETTING_FLAGS: readonly Flag[] = [
  setting('cluster-name', 'string', 'name', 'The name of the cluster.'),
  setting(
    'node-group-auto-discovery',
    'list',
    'discovery.tags',
    'Without the setting, Auto Scaling groups with the tags k8s.io/cluster-autoscaler/enabled and k8s.io/cluster-autoscaler/<name>. What begins with clusterapi: is for the setting clusterApi.discovery.',
  ),
  setting('nodes', 'list', 'discovery.nodes', 'Auto Scaling groups by name, with a minimum and a maximum size.'),
  setting(
    'scan-interval',
    'duration',
    'scanInterval',
    'Evaluations follow events. Without one, an evaluation comes every scanInterval.',
  ),
];

const BUILT_IN_FLAGS: readonly Flag[] = [
  builtIn(
    'cloud-provider',
    'string',
    'aws',
    'Node groups are Auto Scaling groups of AWS. Those of the provider clusterapi are the setting clusterApi, in addition to Auto Scaling groups or alone.',
  ),
  builtIn('estimator', 'string', 'binpacking', 'Bin packing is the only estimator.'),
  builtIn(
    'frequent-loops-enabled',
    'boolean',
    'true',
    'Events cause evaluations, and one that leaves work undone is followed by the next at once.',
  ),
  builtIn(
    'aws-use-static-instance-list',
    'boolean',
    'false',
    'Instance types are those that EC2 describes; there is no list that could be out of date.',
  ),
  builtIn('enable-csi-node-aware-scheduling', 'boolean', 'true', 'Limits of volumes are read from CSINode objects.'),
  builtIn(
    'scale-from-unschedulable',
    'boolean',
    'true',
    'A template is never made unschedulable by a cordoned node of its group.',
  ),
];

const LOGS = 'Logs are JSON in CloudWatch; there are no log files, headers or verbosity levels.';
const ONE_WRITER = 'There are no replicas to elect a leader of: state is changed on condition of its version.';
const NO_PROCESS = 'There is no process to restart. Alarms of the stack report functions that fail.';
const NO_CLIENT = 'There is no long-lived client: an evaluation lists each kind of object once.';
const NO_CANDIDATE_POOL =
  'All nodes are candidates, within scaleDownSimulationTimeout. Cluster Autoscaler does not read this flag either.';
const OTHER_CLOUD = 'Of another cloud provider.';
const ONE_THREAD = 'The simulation runs on one thread.';

const MEANINGLESS_FLAGS: readonly Flag[] = [
  meaningless('leader-elect', 'boolean', ONE_WRITER),
  meaningless('leader-elect-lease-duration', 'duration', ONE_WRITER),
  meaningless('leader-elect-renew-deadline', 'duration', ONE_WRITER),
  meaningless('leader-elect-retry-period', 'duration', ONE_WRITER),
  meaningless('leader-elect-resource-lock', 'string', ONE_WRITER),
  meaningless('leader-elect-resource-name', 'string', ONE_WRITER),
  meaningless('leader-elect-resource-namespace', 'string', ONE_WRITER),
  meaningless('max-inactivity', 'duration', `${NO_PROCESS} outrigger local has --max-inactivity.`),
  meaningless('max-failing-time', 'duration', `${NO_PROCESS} outrigger local has --max-failing-time.`),
  meaningless('profiling', 'boolean', 'There is no process to profile over HTTP.'),
  meaningless('kube-client-qps', 'number', NO_CLIENT),
  meaningless('kube-client-burst', 'integer', NO_CLIENT),
  meaningless('kube-api-content-type', 'string', 'Each kind is read in the encoding that suits it.'),
  meaningless('kubeconfig', 'string', 'The functions authenticate with their roles; outrigger local has --kubeconfig.'),
  meaningless('kubernetes', 'string', 'The address of the API server comes from EKS, or from the kubeconfig.'),
  meaningless('user-agent', 'string', 'The clients have their own.'),
  meaningless(
    'node-info-cache-expire-time',
    'duration',
    'Templates of node groups are built again in each evaluation.',
  ),
  meaningless('predicate-parallelism', 'integer', ONE_THREAD),
  meaningless('cluster-snapshot-parallelism', 'integer', ONE_THREAD),
  meaningless('fastpath-binpacking-enabled', 'boolean', 'Equal pods are packed together in any case.'),
  meaningless('scale-down-non-empty-candidates-count', 'integer', NO_CANDIDATE_POOL),
  meaningless('scale-down-candidates-pool-ratio', 'number', NO_CANDIDATE_POOL),
  meaningless('scale-down-candidates-pool-min-count', 'integer', NO_CANDIDATE_POOL),
  meaningless('async-node-groups', 'boolean', 'Node groups are neither created nor deleted.'),
  meaningless('feature-gates', 'string', 'There are no feature gates.'),
  meaningless('regional', 'boolean', 'Cluster Autoscaler does not read this flag either.'),
  meaningless('bulk-mig-instances-listing-enabled', 'boolean', OTHER_CLOUD),
  meaningless('cloud-provider-gce-l7lb-src-cidrs', 'string', OTHER_CLOUD),
  meaningless('cloud-provider-gce-lb-src-cidrs', 'string', OTHER_CLOUD),
  meaningless(
    'clusterapi-cloud-config-authoritative',
    'boolean',
    'The resources of Cluster API are in the cluster itself, or in the one that the setting clusterApi.managementCluster names.',
  ),
  meaningless('gce-concurrent-refreshes', 'integer', OTHER_CLOUD),
  meaningless('gce-mig-instances-min-refresh-wait-time', 'duration', OTHER_CLOUD),
  ...[
    'add-dir-header',
    'alsologtostderr',
    'log-json-split-stream',
    'log-text-split-stream',
    'logtostderr',
    'one-output',
    'skip-headers',
    'skip-log-headers',
  ].map((name) => meaningless(name, 'boolean', LOGS)),
  ...[
    'log-backtrace-at',
    'log-dir',
    'log-file',
    'log-file-max-size',
    'log-flush-frequency',
    'log-json-info-buffer-size',
    'log-text-info-buffer-size',
    'logging-format',
    'stderrthreshold',
    'v',
    'vmodule',
  ].map((name) => meaningless(name, 'string', LOGS)),
];

const PROVISIONING =
  'With `provisioningRequests`, up to 20 requests are looked at in each evaluation, and again after 1 to 10 minutes.';
const BUFFERS = 'With `capacityBuffers` the status of CapacityBuffers is written, and their virtual pods count.';
const NO_ENDPOINT =
  'The stack has no endpoint to scrape: its metrics are in CloudWatch. outrigger local has --address, which is this computer alone where no host is given.';

const EXTERNAL =
  'There is no gRPC expander. A Lambda function that receives the same options can choose: expander external, option externalExpander.';

const MISSING_FLAGS: readonly Flag[] = [
  missing('address', 'string', null, NO_ENDPOINT),
  missing(
    'emit-per-nodegroup-metrics',
    'boolean',
    'false',
    'The stack has no metrics of single node groups; those of outrigger local always have them.',
  ),
  missing('node-removal-latency-tracking-enabled', 'boolean', 'false', 'There is no such metric.'),
  missing('max-node-skip-eval-time-tracker-enabled', 'boolean', 'false', 'There is no such metric.'),
  missing(
    'record-duplicated-events',
    'boolean',
    'false',
    'An event that says the same again is not recorded while the API server keeps the first one.',
  ),
  missing('debugging-snapshot-enabled', 'boolean', 'false', 'There is no endpoint for snapshots.'),
  missing('grpc-expander-url', 'string', '', EXTERNAL),
  missing('grpc-expander-cert', 'string', '', EXTERNAL),
  missing(
    'scheduler-config-file',
    'string',
    '',
    'The simulation has the filters of kube-scheduler with their default arguments.',
  ),
  missing(
    'cloud-config',
    'string',
    '',
    'The AWS clients use the endpoints of the region. The management cluster of Cluster API is the setting clusterApi.managementCluster.',
  ),
  missing('enable-dynamic-resource-allocation', 'boolean', 'false', 'Dynamic resource allocation is not simulated.'),
  missing(
    'dynamic-node-delete-delay-after-taint-enabled',
    'boolean',
    'false',
    'The delay is nodeDeleteDelayAfterTaint, whatever the latency of the API server.',
  ),
  missing('node-deletion-batcher-interval', 'duration', '0s', 'Each node is deleted as soon as it is drained.'),
  missing('capacity-buffer-controller-enabled', 'boolean', 'false', BUFFERS),
  missing('capacity-buffer-pod-dry-run-enabled', 'boolean', 'true', BUFFERS),
  missing('check-capacity-batch-processing', 'boolean', 'false', PROVISIONING),
  missing('check-capacity-processor-instance', 'string', '', PROVISIONING),
  missing('check-capacity-provisioning-request-batch-timebox', 'duration', '10s', PROVISIONING),
  missing('check-capacity-provisioning-request-max-batch-size', 'integer', '10', PROVISIONING),
  missing('provisioning-request-initial-backoff-time', 'duration', '1m', PROVISIONING),
  missing('provisioning-request-max-backoff-time', 'duration', '10m', PROVISIONING),
  missing('provisioning-request-max-backoff-cache-size', 'integer', '1000', PROVISIONING),
];

const newer = (flag: Flag): Flag => ({ ...flag, version: 'newer' });
const removed = (flag: Flag): Flag => ({ ...flag, version: 'removed' });

const NEWER_FLAGS: readonly Flag[] = [
  newer(option('salvo-scale-up')),
  newer(option('salvo-scale-up-budget')),
  newer(option('scaleup-simulation-for-skipped-node-groups-enabled')),
  newer(meaningless('max-startup-time', 'duration', NO_PROCESS)),
  newer(meaningless('scheduler-verbosity', 'integer', LOGS)),
  newer(
    meaningless(
      'enable-inter-pod-affinity-hostname-fast-path',
      'boolean',
      'Affinity between pods is counted by domain in any case.',
    ),
  ),
  newer(
    missing('unready-nodes-scope', 'string', 'cluster', 'The check of unready nodes counts all nodes of the cluster.'),
  ),
  newer(
    missing('enable-graceful-degradation', 'boolean', 'false', 'All pending pods are looked at in each evaluation.'),
  ),
  newer(
    missing('pending-pods-batching-timeout', 'duration', '4m', 'All pending pods are looked at in each evaluation.'),
  ),
  newer(missing('capacity-buffer-ready-replicas-enabled', 'boolean', 'true', BUFFERS)),
];

const NO_AUTOPROVISIONING = 'Node groups are neither created nor deleted.';

const REMOVED_FLAGS: readonly Flag[] = [
  removed(option('max-empty-bulk-delete', 'maxScaleDownParallelism')),
  removed(builtIn('parallel-drain', 'boolean', 'true', 'Nodes are drained in parallel, within maxDrainParallelism.')),
  removed(meaningless('concurrent-gce-refreshes', 'integer', OTHER_CLOUD)),
  removed(missing('node-autoprovisioning-enabled', 'boolean', 'false', NO_AUTOPROVISIONING)),
  removed(missing('max-autoprovisioned-node-group-count', 'integer', '0', NO_AUTOPROVISIONING)),
];

/** Every flag of Cluster Autoscaler, and what it is here. Names are unique. */
export const FLAGS: readonly Flag[] = [
  ...OPTION_FLAGS,
  ...SETTING_FLAGS,
  ...BUILT_IN_FLAGS,
  ...MEANINGLESS_FLAGS,
  ...MISSING_FLAGS,
  ...NEWER_FLAGS,
  ...REMOVED_FLAGS,
];

const BY_NAME: ReadonlyMap<string, Flag> = new Map(
  FLAGS.flatMap((flag) => [
    [flag.name, flag],
    [camelCase(flag.name), flag],
  ]),
);

/** The flag of this name, in kebab-case as on a command line or in camelCase; `null` when there is none. */
export const flagOf = (name: string): Flag | null =>
  BY_NAME.get(name) ?? BY_NAME.get(name.replaceAll('_', '-')) ?? null;
