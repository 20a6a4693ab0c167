import {
  Counter,
  type CounterConfiguration,
  Gauge,
  type GaugeConfiguration,
  Histogram,
  type HistogramConfiguration,
  Registry,
} from 'prom-client';
import type { Decision } from '../../../core/model/decision.ts';
import type { Scenario } from '../../../core/model/scenario.ts';
import type { Backoff } from '../../../core/model/state.ts';
import type { GroupName } from '../../../core/model/values/names.ts';
import { valueOf } from '../../../core/model/values/records.ts';
import { unneededTimeOf } from '../../../core/scaledown/unneeded-time.ts';
import type { Metrics } from '../../../core/ports/observability.ts';
import type { FunctionName } from '../../../runtime/functions.ts';
import { COUNTED, type MetricName, METRICS } from './metric-names.ts';

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
  const made = makeMetrics(registry);
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
      const of = FUNCTIONS[name];
      made.histogram('cluster_autoscaler_function_duration_seconds').observe({ function: of }, seconds);
      made.gauge('cluster_autoscaler_last_activity').set({ activity: of }, now / 1_000);
    },
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}

/** Under Cluster Autoscaler's names, where it has one. */
const FUNCTIONS: Readonly<Record<FunctionName, string>> = {
  'scale-up': 'scaleUp',
  'scale-down': 'scaleDown',
  actuate: 'actuate',
  drain: 'drain',
  ingest: 'ingest',
  wake: 'wake',
};

interface Made {
  readonly gauge: (name: MetricName) => Gauge;
  readonly counter: (name: MetricName) => Counter;
  readonly histogram: (name: MetricName) => Histogram;
}

/** From a tenth of a second to half an hour. */
const BUCKETS = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 60, 180, 600, 1_800];

const MAKERS = {
  gauge: (options: GaugeConfiguration<string>) => new Gauge(options),
  counter: (options: CounterConfiguration<string>) => new Counter(options),
  histogram: (options: HistogramConfiguration<string>) => new Histogram({ ...options, buckets: BUCKETS }),
};

function makeMetrics(registry: Registry): Made {
  const made = new Map<MetricName, Gauge | Counter | Histogram>();
  for (const [name, { type, help, labels }] of Object.entries(METRICS)) {
    const options = { name, help, labelNames: [...labels], registers: [registry] };
    made.set(name as MetricName, MAKERS[type](options));
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

function setCluster({ gauge }: Made, { options, objects }: Scenario, { registry }: Decision): void {
  const { totals, groups, clusterHealthy } = registry;
  gauge('cluster_autoscaler_cluster_safe_to_autoscale').set(clusterHealthy ? 1 : 0);
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
  gauge('cluster_autoscaler_max_nodes_count').set(options.maxNodesTotal);
  const total = (of: 'cpu' | 'memory'): number =>
    objects.nodes.reduce((sum, { allocatable }) => sum + (allocatable[of] ?? 0), 0);
  gauge('cluster_autoscaler_cluster_cpu_current_cores').set(total('cpu') / 1_000);
  gauge('cluster_autoscaler_cluster_memory_current_bytes').set(total('memory'));
}

function setScaleUp({ gauge, counter }: Made, scenario: Scenario, { scaleUp, state, registry }: Decision): void {
  const waiting = scaleUp.pods.filter(({ outcome }) => outcome !== 'Fits' && outcome !== 'Ignored');
  setAll(gauge('cluster_autoscaler_unschedulable_pods_count'), 'type', { unschedulable: waiting.length });
  const of = (value: (group: Scenario['nodeGroups'][number]) => number): Readonly<Record<string, number>> =>
    Object.fromEntries(scenario.nodeGroups.map((group) => [group.name, value(group)]));
  const targets = new Map(
    [...registry.repairs.flatMap((repair) => ('to' in repair ? [repair] : [])), ...scaleUp.increases].map(
      ({ group, to }) => [group, to],
    ),
  );
  setAll(
    gauge('cluster_autoscaler_node_group_min_count'),
    'node_group',
    of(({ minSize }) => minSize),
  );
  setAll(
    gauge('cluster_autoscaler_node_group_max_count'),
    'node_group',
    of(({ maxSize }) => maxSize),
  );
  setAll(
    gauge('cluster_autoscaler_node_group_target_count'),
    'node_group',
    of(({ name, targetSize }) => targets.get(name) ?? targetSize),
  );
  setAll(
    gauge('cluster_autoscaler_node_group_healthiness'),
    'node_group',
    of(({ name }) => (valueOf(registry.groups, name)?.healthy === false ? 0 : 1)),
  );
  const backoffs = gauge('cluster_autoscaler_node_group_backoff_status');
  backoffs.reset();
  for (const [group, backoff] of Object.entries<Backoff>(state.backoff)) {
    if (backoff.until > scenario.now) {
      backoffs.set({ node_group: group, reason: backoff.class }, 1);
    }
    const before: Backoff | undefined = valueOf(scenario.state.backoff, group as GroupName);
    if (before?.lastFailure !== backoff.lastFailure) {
      counter('cluster_autoscaler_failed_scale_ups_total').inc({ reason: backoff.class });
    }
  }
  if (scaleUp.plan?.basis === 'price') {
    gauge('outrigger_plan_cost_usd_per_hour').set(scaleUp.plan.cost);
    gauge('outrigger_plan_bound_usd_per_hour').set(scaleUp.plan.bound ?? 0);
  }
}

function setScaleDown({ gauge }: Made, { nodeGroups, options }: Scenario, { scaleDown, state }: Decision): void {
  const reasons: Record<string, number> = {};
  for (const { reason } of scaleDown.unremovable) {
    reasons[reason] = (reasons[reason] ?? 0) + 1;
  }
  setAll(gauge('cluster_autoscaler_unremovable_nodes_count'), 'reason', reasons);
  gauge('cluster_autoscaler_unneeded_nodes_count').set(scaleDown.unneeded.length);
  gauge('cluster_autoscaler_scale_down_in_cooldown').set(scaleDown.result === 'Cooldown' ? 1 : 0);
  gauge('cluster_autoscaler_pending_node_deletions').set(state.deletionsInProgress.length);
  setAll(
    gauge('outrigger_node_group_unneeded_time_seconds'),
    'node_group',
    Object.fromEntries(nodeGroups.map((group) => [group.name, unneededTimeOf({ options, state }, group) / 1_000])),
  );
}
