import { evaluate } from '../../core/evaluate.ts';
import type { Decision } from '../../core/model/decision.ts';
import { HOSTNAME_LABEL, ZONE_LABEL } from '../../core/model/cluster/node.ts';
import type { Pod, PodAffinityTerm, PodSpec, TopologySpreadConstraint } from '../../core/model/cluster/pod.ts';
import { NO_OBJECTS, type Scenario } from '../../core/model/scenario.ts';
import { randomFrom } from '../../core/model/values/random.ts';
import type { Labels } from '../../core/model/cluster/selectors.ts';
import { estimate } from '../../core/estimator/estimator.ts';
import { addTemplateNode } from '../../core/nodegroups/node-templates.ts';
import { decreasing, demandOf } from '../../core/estimator/demand.ts';
import { clusterSnapshot } from '../../core/scheduling/cluster-snapshot.ts';
import { createScheduler } from '../../core/scheduling/scheduler.ts';
import { affinityTerm, type Amounts, node, pod, podSpec, selector, spreadConstraint } from '../builders.ts';
import { group, scenario, templateOf, times } from '../scenario-builders.ts';
import { largeClusterGroups, largeClusterNodes, largeClusterPods, replicated } from './large-cluster.ts';
import type { Benchmark } from './measure.ts';

const GiB = 2 ** 30;

const waiting = (name: string, of: PodSpec, labels: Labels = {}): Pod => ({ ...pod(name, { labels }), spec: of });

const added = ({ scaleUp }: Decision): number => scaleUp.increases.reduce((sum, { from, to }) => sum + to - from, 0);

const summary = (decision: Decision): string => {
  const count = (outcome: string): number => decision.scaleUp.pods.filter((row) => row.outcome === outcome).length;
  return `${added(decision)} nodes, ${count('Triggered')} triggered, ${count('Fits')} fit, ${decision.scaleUp.pods.length} pods`;
};

const evaluation = (make: () => Scenario, goalMs: number | null): Benchmark => ({
  goalMs,
  prepare: () => {
    const input = make();
    return () => summary(evaluate(input));
  },
});

/** Evaluates objects that were just read: whatever an evaluation remembers of them is worked out. */
const evaluationOfFresh = (make: () => Scenario, goalMs: number | null): Benchmark => ({
  goalMs,
  prepare: () => {
    const given = make();
    let input = given;
    return {
      renew: () => {
        const { nodes, pods } = given.objects;
        const objects = {
          ...given.objects,
          nodes: nodes.map((one) => ({ ...one })),
          pods: pods.map((one) => ({ ...one })),
        };
        input = { ...given, objects };
      },
      run: () => summary(evaluate(input)),
    };
  },
});

/** Two kinds of pods on nodes of 1 cpu. */
function estimator(): () => string {
  const kinds = [
    { of: podSpec({ cpu: '50m', memory: 100 }), count: 50_000 },
    { of: podSpec({ cpu: '95m', memory: 190 }), count: 1_000 },
  ];
  const samples = kinds.map(({ of }, i) => waiting(`p-${i}`, of));
  const template = templateOf(node('t', { cpu: 1, memory: 5_000, pods: 100 }));
  return () => {
    const snapshot = clusterSnapshot(NO_OBJECTS, samples);
    const scheduler = createScheduler(snapshot, NO_OBJECTS);
    const loads = decreasing(demandOf(snapshot, samples), template.node.allocatable).map(({ kind, pods }) => ({
      kind,
      count: kinds[samples.indexOf(pods[0]!)]!.count,
    }));
    let next = 0;
    const { nodes, placements } = estimate({
      snapshot,
      scheduler,
      loads,
      offerNode: (use) => use(addTemplateNode(snapshot, template, `n-${next++}`, [])),
    });
    return `${nodes.length} nodes, ${placements.reduce((sum, { count }) => sum + count, 0)} pods`;
  };
}

const ownerless = (count: number): Scenario => {
  const of = podSpec({ cpu: '20m', memory: 100 });
  return scenario({
    groups: [group('g', { max: 2_000, node: { cpu: 1, memory: 10_000, pods: 100 } })],
    pods: times(count, (i) => waiting(`p-${i}`, of)),
  });
};

/** The mix of Karpenter's own scheduling benchmark: fifths of five kinds of constraints. */
function karpenterMix(count: number): Scenario {
  const random = randomFrom(42);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const letters = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const requests = (): Amounts => ({
    cpu: pick(['100m', '250m', '500m', '1', '1500m']),
    memory: pick(['100Mi', '256Mi', '512Mi', '1Gi', '2Gi', '4Gi']),
  });
  const spread = (topologyKey: string): readonly TopologySpreadConstraint[] => [
    spreadConstraint(topologyKey, selector({ 'my-label': pick(letters) })),
  ];
  const term = (topologyKey: string, labels: Labels): PodAffinityTerm => affinityTerm(topologyKey, selector(labels));
  const fifth = Math.floor(count / 5);
  const pods = [
    ...times(fifth, (i) => waiting(`generic-${i}`, podSpec(requests()), { 'my-label': pick(letters) })),
    ...times(fifth, (i) =>
      waiting(`zonal-${i}`, podSpec(requests(), { topologySpread: spread(ZONE_LABEL) }), { 'my-label': pick(letters) }),
    ),
    ...times(fifth, (i) =>
      waiting(`host-${i}`, podSpec(requests(), { topologySpread: spread(HOSTNAME_LABEL) }), {
        'my-label': pick(letters),
      }),
    ),
    ...times(fifth, (i) => {
      const labels = { 'my-affininity': pick(letters) };
      return waiting(`affine-${i}`, podSpec(requests(), { podAffinity: [term(ZONE_LABEL, labels)] }), labels);
    }),
    ...times(fifth, (i) =>
      waiting(`apart-${i}`, podSpec(requests(), { podAntiAffinity: [term(HOSTNAME_LABEL, { app: 'nginx' })] }), {
        app: 'nginx',
      }),
    ),
  ];
  const groups = [4, 8, 16, 32, 64, 96].flatMap((cpu) =>
    ['a', 'b', 'c'].map((zone) => ({
      ...group(`c${String(cpu).padStart(2, '0')}-${zone}`, {
        max: 10_000,
        zone: `us-east-1${zone}`,
        node: { cpu, memory: cpu * 2 * GiB, pods: cpu * 10 },
        labels: { 'node.kubernetes.io/instance-type': `c${cpu}` },
      }),
      price: 0.1 * cpu + (0.1 * cpu * 2 * GiB) / 1e9,
    })),
  );
  return scenario({ groups, pods, options: { maxNodesPerScaleup: 100_000 } });
}

function allFit(): Scenario {
  const nodes = times(200, (i) => node(`n-${i}`, { cpu: 4, memory: '16Gi', pods: 400 }));
  const kinds = times(20, (i) => podSpec({ cpu: '10m', memory: 1_000 + i }));
  return scenario({
    groups: [group('g', { nodes: nodes.map(({ name }) => name), max: 300 })],
    nodes,
    pods: times(60_000, (i) => waiting(`p-${i}`, kinds[i % 20]!)),
  });
}

export function largeCluster(count: number): Scenario {
  const { running, pending } = largeClusterPods(count);
  return scenario({
    groups: largeClusterGroups(count),
    nodes: largeClusterNodes(count),
    pods: [...replicated(running, count), ...pending],
  });
}

export const scaleUpBenchmarks: Readonly<Record<string, Benchmark>> = {
  'estimator-51000': { goalMs: 5, prepare: estimator },
  'evaluate-50000-ownerless': evaluation(() => ownerless(50_000), 40),
  'karpenter-mix-20000': evaluation(() => karpenterMix(20_000), 250),
  'fit-60000-on-200': evaluation(allFit, 150),
  'large-cluster': evaluationOfFresh(() => largeCluster(5_000), 1_500),
  'large-cluster-15000': evaluationOfFresh(() => largeCluster(15_000), 2_000),
};
