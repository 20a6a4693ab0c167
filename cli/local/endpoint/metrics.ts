import {
  Counter,
  type CounterConfiguration,
  Gauge,
  type GaugeConfiguration,
  Histogram,
  type HistogramConfiguration,
  Registry,
} from 'prom-client';
import {
  type ClusterRecord,
  decidedAt,
  latestRegistry,
  recordedOf,
} from '@outrigger/core/explanation/cluster-record.ts';
import type { Decision, RegistryReport } from '@outrigger/core/model/decision.ts';
import type { Scenario } from '@outrigger/core/model/scenario.ts';
import type { Backoff, State } from '@outrigger/core/model/state.ts';
import { countBy } from '@outrigger/core/model/values/counts.ts';
import type { GroupName } from '@outrigger/core/model/values/names.ts';
import { valueOf } from '@outrigger/core/model/values/records.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import { unneededTimeOf } from '@outrigger/core/scaledown/unneeded-time.ts';
import { camelCase } from '@outrigger/providers/schema/options.ts';
import { pendingPodCount } from '@outrigger/core/words/explain.ts';
import type { Metrics } from '@outrigger/core/ports/observability.ts';
import type { FunctionName } from '../../../runtime/functions.ts';
import type { HttpAnswer } from './http-server.ts';
import { COUNTED, type PrometheusMetric, PROMETHEUS_METRICS, STORED_METRICS } from './metric-names.ts';

/** The metrics of a process for Prometheus. */
export interface Exposition {
  /** The metrics that the functions report. */
  readonly metrics: Metrics;
  readonly onDecision: (scenario: Scenario, decision: Decision) => void;
  /** A function has been invoked. */
  readonly onInvocation: (name: FunctionName, seconds: number, now: number) => void;
  readonly contentType: string;
  /** In Prometheus' text format. */
  readonly text: () => Promise<string>;
}

/** @param dryRun what is decided is not done: it is not counted as done. */
export function createExposition(dryRun: boolean): Exposition {
  const registry = new Registry();
  const made = makeMetrics(registry, Object.keys(PROMETHEUS_METRICS) as readonly PrometheusMetric[]);
  return {
    metrics: {
      count: (name, value) => {
        const counted = COUNTED[name];
        if (
          counted !== undefined &&
          value > 0 &&
          !(dryRun && counted.metric === 'cluster_autoscaler_scaled_up_nodes_total')
        ) {
          made.counter(counted.metric).inc(counted.labels ?? {}, value);
        }
      },
      milliseconds: (name, value) => made.histogram('outrigger_time_seconds').observe({ of: name }, value / 1_000),
    },
    onDecision: (scenario, decision) => {
      if (decision.evaluation !== 'ScaleDown') {
        setScaleUp(made, scenario, decision);
      }
      if (decision.evaluation !== 'ScaleUp') {
        setScaleDown(made, scenario, decision);
      }
      setCluster(made, scenario, decision);
    },
    onInvocation: (name, seconds, now) => {
      // Under Cluster Autoscaler's names, where it has one.
      const of = camelCase(name);
      made.histogram('cluster_autoscaler_function_duration_seconds').observe({ function: of }, seconds);
      made.gauge('cluster_autoscaler_last_activity').set({ activity: of }, now / 1_000);
    },
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}

/**
 * The metrics of what is stored of a cluster, in Prometheus' text format: the gauges of its last decisions.
 *
 * Counters need a process that counts, so that the functions on AWS have theirs in CloudWatch.
 */
export async function storedMetrics(record: ClusterRecord): Promise<Pick<HttpAnswer, 'type' | 'body'>> {
  const registry = new Registry();
  const made = makeMetrics(registry, STORED_METRICS);
  const { scaleUp, scaleDown, state, now } = record;
  for (const [activity, at] of [
    ['scaleUp', decidedAt(record, 'ScaleUp')],
    ['scaleDown', decidedAt(record, 'ScaleDown')],
  ] as const) {
    if (at !== null) {
      made.gauge('cluster_autoscaler_last_activity').set({ activity }, at / 1_000);
    }
  }
  const latest = latestRegistry(record);
  if (latest !== null) {
    setNodes(made, latest);
  }
  if (scaleUp !== null) {
    setPending(made, scaleUp);
    setSizes(made, groupSizes(record, scaleUp), scaleUp);
  }
  setBackoffs(made, state, now);
  if (scaleDown !== null) {
    setRemovals(made, scaleDown);
  }
  return { type: registry.contentType, body: await registry.metrics() };
}

const groupSizes = (record: ClusterRecord, { registry }: Decision): readonly GroupSizes[] =>
  Object.entries(registry.groups).map(([name, { target }]) => {
    const { min = 0, max = 0 } = recordedOf(record, name as GroupName);
    return { name, minSize: min, maxSize: max, targetSize: target };
  });

interface Meters {
  readonly gauge: (name: PrometheusMetric) => Gauge;
  readonly counter: (name: PrometheusMetric) => Counter;
  readonly histogram: (name: PrometheusMetric) => Histogram;
}

/** From a tenth of a second to half an hour. */
const BUCKETS = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 60, 180, 600, 1_800];

const MAKERS = {
  gauge: (options: GaugeConfiguration<string>) => new Gauge(options),
  counter: (options: CounterConfiguration<string>) => new Counter(options),
  histogram: (options: HistogramConfiguration<string>) => new Histogram({ ...options, buckets: BUCKETS }),
};

function makeMetrics(registry: Registry, names: readonly PrometheusMetric[]): Meters {
  const made = new Map<PrometheusMetric, Gauge | Counter | Histogram>();
  for (const name of names) {
    const { type, help, labels } = PROMETHEUS_METRICS[name];
    made.set(name, MAKERS[type]({ name, help, labelNames: [...labels], registers: [registry] }));
  }
  return {
    gauge: (name) => made.get(name) as Gauge,
    counter: (name) => made.get(name) as Counter,
    histogram: (name) => made.get(name) as Histogram,
  };
}

/** Sets a gauge for each value of its label; those of before are no more. */
function setAll(gauge: Gauge, label: string, values: Readonly<Record<string, number>>): void {
  gauge.reset();
  for (const [value, count] of Object.entries(values)) {
    gauge.set({ [label]: value }, count);
  }
}

function setNodes({ gauge }: Meters, { totals, groups, clusterHealthy }: RegistryReport): void {
  gauge('cluster_autoscaler_cluster_safe_to_autoscale').set(Number(clusterHealthy));
  setAll(gauge('cluster_autoscaler_nodes_count'), 'state', {
    ready: totals.ready,
    unready: totals.unready,
    notStarted: totals.notStarted,
    suspended: totals.suspended,
    longUnregistered: totals.longUnregistered,
    unregistered: totals.unregistered,
  });
  setAll(gauge('cluster_autoscaler_node_groups_count'), 'node_group_type', {
    autoscaled: Object.keys(groups).length,
  });
}

function setCluster(made: Meters, { options, objects }: Scenario, { registry }: Decision): void {
  setNodes(made, registry);
  const { gauge } = made;
  gauge('cluster_autoscaler_max_nodes_count').set(options.maxNodesTotal);
  const total = (of: 'cpu' | 'memory'): number =>
    objects.nodes.reduce((sum, { allocatable }) => sum + (allocatable[of] ?? 0), 0);
  gauge('cluster_autoscaler_cluster_cpu_current_cores').set(total('cpu') / 1_000);
  gauge('cluster_autoscaler_cluster_memory_current_bytes').set(total('memory'));
}

/** The sizes of a node group before the decision. */
interface GroupSizes {
  readonly name: string;
  readonly minSize: number;
  readonly maxSize: number;
  readonly targetSize: number;
}

function setPending({ gauge }: Meters, decision: Decision): void {
  const unschedulable = pendingPodCount(decision);
  setAll(gauge('cluster_autoscaler_unschedulable_pods_count'), 'type', { unschedulable });
}

function setSizes({ gauge }: Meters, groups: readonly GroupSizes[], { scaleUp, registry }: Decision): void {
  const set = (name: PrometheusMetric, value: (group: GroupSizes) => number): void =>
    setAll(gauge(name), 'node_group', Object.fromEntries(groups.map((group) => [group.name, value(group)])));
  const resized = [...registry.repairs.filter((repair) => 'to' in repair), ...scaleUp.increases];
  const targets = new Map<string, number>(resized.map(({ group, to }) => [group, to]));
  set('cluster_autoscaler_node_group_min_count', ({ minSize }) => minSize);
  set('cluster_autoscaler_node_group_max_count', ({ maxSize }) => maxSize);
  set('cluster_autoscaler_node_group_target_count', ({ name, targetSize }) => targets.get(name) ?? targetSize);
  set('cluster_autoscaler_node_group_healthiness', ({ name }) =>
    Number(valueOf(registry.groups, name as GroupName)?.healthy !== false),
  );
}

function setBackoffs({ gauge }: Meters, { backoff }: Pick<State, 'backoff'>, now: EpochMs): void {
  const backoffs = gauge('cluster_autoscaler_node_group_backoff_status');
  backoffs.reset();
  for (const [group, { until, class: reason }] of Object.entries<Backoff>(backoff)) {
    if (until > now) {
      backoffs.set({ node_group: group, reason }, 1);
    }
  }
}

function setScaleUp(made: Meters, scenario: Scenario, decision: Decision): void {
  const { scaleUp, state } = decision;
  setPending(made, decision);
  setSizes(made, scenario.nodeGroups, decision);
  setBackoffs(made, state, scenario.now);
  for (const [group, backoff] of Object.entries<Backoff>(state.backoff)) {
    const before: Backoff | undefined = valueOf(scenario.state.backoff, group as GroupName);
    if (before?.lastFailure !== backoff.lastFailure) {
      made.counter('cluster_autoscaler_failed_scale_ups_total').inc({ reason: backoff.class });
    }
  }
  if (scaleUp.plan?.basis === 'price') {
    made.gauge('outrigger_plan_cost_usd_per_hour').set(scaleUp.plan.cost);
    made.gauge('outrigger_plan_bound_usd_per_hour').set(scaleUp.plan.bound ?? 0);
  }
}

function setRemovals({ gauge }: Meters, { scaleDown, state }: Decision): void {
  const reasons = countBy(scaleDown.unremovable, ({ reason }) => reason);
  setAll(gauge('cluster_autoscaler_unremovable_nodes_count'), 'reason', Object.fromEntries(reasons));
  gauge('cluster_autoscaler_unneeded_nodes_count').set(scaleDown.unneeded.length);
  gauge('cluster_autoscaler_scale_down_in_cooldown').set(Number(scaleDown.result === 'Cooldown'));
  gauge('cluster_autoscaler_pending_node_deletions').set(state.deletionsInProgress.length);
}

function setScaleDown(made: Meters, { nodeGroups, options }: Scenario, decision: Decision): void {
  setRemovals(made, decision);
  const { state } = decision;
  setAll(
    made.gauge('outrigger_node_group_unneeded_time_seconds'),
    'node_group',
    Object.fromEntries(nodeGroups.map((group) => [group.name, unneededTimeOf({ options, state }, group) / 1_000])),
  );
}
