import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { COUNTED, PROMETHEUS_METRICS } from '../../../../cli/local/endpoint/metric-names.ts';
import { createExposition } from '../../../../cli/local/endpoint/metrics.ts';
import { AUTO, type LearnedTime } from '../../../../core/model/unneeded-time.ts';
import { groupName } from '../../../../core/model/values/names.ts';
import { evaluate } from '../../../../core/evaluate.ts';
import { node, pod } from '../../../builders.ts';
import { group, NOW, scenario } from '../../../scenario-builders.ts';

/** The samples of an exposition, by name and labels. */
async function samplesOf(exposition: ReturnType<typeof createExposition>): Promise<Readonly<Record<string, number>>> {
  const lines = (await exposition.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.lastIndexOf(' ');
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

const CLUSTER = scenario({
  groups: [group('web', { nodes: ['n1', 'n2'], max: 5 }), group('batch', { max: 3 })],
  nodes: [node('n1', { cpu: 4, memory: '16Gi' }), node('n2', { cpu: 4, memory: '16Gi' })],
  pods: [
    pod('runs', { requests: { cpu: '3' }, node: 'n1' }),
    pod('waits', { requests: { cpu: '3500m' } }),
    pod('waits-too', { requests: { cpu: '3500m' } }),
    pod('huge', { requests: { cpu: '64' } }),
  ],
});

describe('the metrics of a decision', () => {
  test("are those of the cluster, its node groups and its pods, under Cluster Autoscaler's names", async () => {
    const exposition = createExposition(false);
    const decision = evaluate(CLUSTER);
    exposition.onDecision(CLUSTER, decision);
    const samples = await samplesOf(exposition);
    const waiting = decision.scaleUp.pods.filter(({ outcome }) => outcome !== 'Fits').length;
    expect(waiting).toBeGreaterThan(0);
    const target = decision.scaleUp.increases.find((one) => one.group === 'web')?.to ?? 2;
    expect(samples).toMatchObject({
      cluster_autoscaler_cluster_safe_to_autoscale: 1,
      'cluster_autoscaler_nodes_count{state="ready"}': 2,
      'cluster_autoscaler_node_groups_count{node_group_type="autoscaled"}': 2,
      'cluster_autoscaler_unschedulable_pods_count{type="unschedulable"}': waiting,
      cluster_autoscaler_cluster_cpu_current_cores: 8,
      cluster_autoscaler_cluster_memory_current_bytes: 2 * 16 * 2 ** 30,
      'cluster_autoscaler_node_group_max_count{node_group="web"}': 5,
      'cluster_autoscaler_node_group_min_count{node_group="batch"}': 0,
      'cluster_autoscaler_node_group_target_count{node_group="web"}': target,
      'cluster_autoscaler_node_group_healthiness{node_group="web"}': 1,
      cluster_autoscaler_unneeded_nodes_count: decision.scaleDown.unneeded.length,
    });
  });

  test('have the time that a node group has learned, or is given', async () => {
    const exposition = createExposition(false);
    const decision = evaluate(CLUSTER);
    const learned = { group: groupName('web'), time: 90_000, boot: null, removals: 1, relaunched: 0, watched: [] };
    const state = { ...decision.state, unneededTimes: [learned as unknown as LearnedTime] };
    const options = { ...CLUSTER.options, scaleDownUnneededTime: AUTO as typeof AUTO };
    exposition.onDecision({ ...CLUSTER, options }, { ...decision, state });
    expect(await samplesOf(exposition)).toMatchObject({
      'outrigger_node_group_unneeded_time_seconds{node_group="web"}': 90,
      'outrigger_node_group_unneeded_time_seconds{node_group="batch"}': 120,
    });
    exposition.onDecision(CLUSTER, decision);
    expect(await samplesOf(exposition)).toMatchObject({
      'outrigger_node_group_unneeded_time_seconds{node_group="web"}': 600,
    });
  });

  test('are of the node groups that are there now', async () => {
    const exposition = createExposition(false);
    exposition.onDecision(CLUSTER, evaluate(CLUSTER));
    const fewer = { ...CLUSTER, nodeGroups: CLUSTER.nodeGroups.slice(0, 1) };
    exposition.onDecision(fewer, evaluate(fewer));
    const groups = Object.keys(await samplesOf(exposition)).filter((name) => name.includes('batch'));
    expect(groups).toEqual([]);
  });

  test('count a failed launch once, however often it is decided about', async () => {
    const exposition = createExposition(false);
    const backoff = {
      until: NOW + 60_000,
      duration: 300_000,
      lastFailure: NOW - 1_000,
      class: 'OutOfResources',
    } as unknown as (typeof CLUSTER.state.backoff)[string & keyof typeof CLUSTER.state.backoff];
    const decision = evaluate(CLUSTER);
    const failed = { ...decision, state: { ...decision.state, backoff: { web: backoff } } };
    exposition.onDecision(CLUSTER, failed);
    exposition.onDecision({ ...CLUSTER, state: failed.state }, failed);
    expect(await samplesOf(exposition)).toMatchObject({
      'cluster_autoscaler_failed_scale_ups_total{reason="OutOfResources"}': 1,
      'cluster_autoscaler_node_group_backoff_status{node_group="web",reason="OutOfResources"}': 1,
    });
  });

  test('have names of node groups as labels, whatever is in them', async () => {
    const hostile = { ...CLUSTER, nodeGroups: [group('a"}\nx 1\\', { max: 1 })] };
    const exposition = createExposition(false);
    exposition.onDecision(hostile, evaluate(hostile));
    const text = await exposition.text();
    expect(text).toContain(String.raw`cluster_autoscaler_node_group_max_count{node_group="a\"}\nx 1\\"} 1`);
    expect(text).not.toMatch(/^x 1/m);
  });
});

test('counts of the functions add up, and nodes that a dry run would add are not counted as added', async () => {
  const [real, dry] = [createExposition(false), createExposition(true)];
  for (const { metrics } of [real, dry]) {
    metrics.count('ScaleUpNodes', 3);
    metrics.count('ScaleUpNodes', 2);
    metrics.count('FailedEvaluations', 1);
    metrics.milliseconds('DrainTime', 45_000);
  }
  expect(await samplesOf(real)).toMatchObject({
    cluster_autoscaler_scaled_up_nodes_total: 5,
    'cluster_autoscaler_errors_total{type="failedEvaluation"}': 1,
    'outrigger_time_seconds_sum{of="DrainTime"}': 45,
  });
  expect(await samplesOf(dry)).toMatchObject({
    cluster_autoscaler_scaled_up_nodes_total: 0,
    'cluster_autoscaler_errors_total{type="failedEvaluation"}': 1,
  });
});

test('each function has its duration and its last end', async () => {
  const exposition = createExposition(false);
  exposition.onInvocation('scale-up', 0.25, 1_767_268_800_000);
  expect(await samplesOf(exposition)).toMatchObject({
    'cluster_autoscaler_function_duration_seconds_sum{function="scaleUp"}': 0.25,
    'cluster_autoscaler_last_activity{activity="scaleUp"}': 1_767_268_800,
  });
});

test('the counts that are named are counts that functions report, with the labels that their metric has', () => {
  const root = join(import.meta.dirname, '../../../..');
  const code = globSync('{functions,core,providers}/**/*.ts', { cwd: root })
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('\n');
  const unknown = Object.keys(COUNTED).filter((name) => !code.includes(`'${name}'`));
  expect(unknown).toEqual([]);
  for (const { metric, labels = {} } of Object.values(COUNTED)) {
    expect(Object.keys(labels)).toEqual([...PROMETHEUS_METRICS[metric].labels]);
  }
});
