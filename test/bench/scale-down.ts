import { evaluate } from '../../core/evaluate.ts';
import type { Decision } from '../../core/model/decision.ts';
import { nodeName } from '../../core/model/values/names.ts';
import { HOSTNAME_LABEL, ZONE_LABEL } from '../../core/model/cluster/node.ts';
import type { Pod, TopologySpreadConstraint } from '../../core/model/cluster/pod.ts';
import type { Scenario } from '../../core/model/scenario.ts';
import type { Labels } from '../../core/model/cluster/selectors.ts';
import { durationMs } from '../../core/model/values/time.ts';
import type { Controller } from '../../core/model/cluster/workloads.ts';
import { budget, controller, node, pod, podSpec, selector, spreadConstraint } from '../builders.ts';
import { group, NOW, scenario, times } from '../scenario-builders.ts';
import type { Benchmark } from './measure.ts';

const SAFE_TO_EVICT: Labels = { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'true' };

const summary = ({ scaleDown }: Decision): string => {
  const moved = scaleDown.removals.reduce((sum, { pods }) => sum + pods.length, 0);
  return `${scaleDown.removals.length} removals, ${moved} pods move, ${scaleDown.unneeded.length} unneeded, ${scaleDown.unremovable.length} stay`;
};

const evaluation = (make: () => Scenario, goalMs: number): Benchmark => ({
  goalMs,
  prepare: () => {
    const input = make();
    return () => summary(evaluate(input));
  },
});

const NO_LIMITS = {
  maxScaleDownParallelism: 10_000,
  maxDrainParallelism: 10_000,
  scaleDownUnneededTime: durationMs(0),
};

/** In the order of their names, as an API server lists them. */
const numbered = (prefix: string, i: number): string => `${prefix}-${String(i).padStart(6, '0')}`;

/** A group of nodes, 40 pods of 1 % on each: 60 % of the nodes can go, and not one more. */
function evenlyUsed(count: number): Scenario {
  const nodes = times(count, (i) => node(numbered('n', i), { cpu: 10, memory: 10_000, pods: 256 }));
  const of = podSpec({ cpu: '100m', memory: 100 });
  return scenario({
    groups: [group('g', { nodes: nodes.map(({ name }) => name), max: count })],
    nodes,
    pods: times(count * 40, (i) => ({
      ...pod(numbered('p', i), { node: numbered('n', i % count), annotations: SAFE_TO_EVICT }),
      spec: of,
    })),
    options: NO_LIMITS,
  });
}

/**
 * 5 000 nodes of three zones with 150 000 pods of 1 000 Deployments, each with a budget; a third of them spreads over
 * hosts. Three in ten nodes are used to less than half.
 */
export function budgeted(): Scenario {
  const zones = ['a', 'b', 'c'];
  const count = 5_000;
  const groups = times(15, (g) =>
    group(`g-${String(g).padStart(2, '0')}`, {
      zone: `us-east-1${zones[g % 3]!}`,
      max: 1_000,
      node: { cpu: 16, memory: '64Gi' },
      nodes: times(count, (n) => n)
        .filter((n) => n % 15 === g)
        .map((n) => numbered('n', n)),
    }),
  );
  const nodes = times(count, (n) =>
    node(numbered('n', n), { cpu: 16, memory: '64Gi' }, { labels: { [ZONE_LABEL]: `us-east-1${zones[n % 3]!}` } }),
  );
  const labelsOf = times(1_000, (d): Labels => ({ app: `app-${d}` }));
  const spread = (d: number): readonly TopologySpreadConstraint[] => [
    spreadConstraint(HOSTNAME_LABEL, selector(labelsOf[d])),
  ];
  const specs = times(1_000, (d) =>
    ['200m', '400m'].map((cpu) => podSpec({ cpu, memory: '512Mi' }, { topologySpread: d % 3 === 0 ? spread(d) : [] })),
  );
  const pods = nodes.flatMap(({ name }, n) =>
    times(30, (i): Pod => {
      const d = (n * 7 + i * 33) % 1_000;
      return {
        ...pod(numbered('p', n * 30 + i), { labels: labelsOf[d]!, owner: `ReplicaSet/app-${d}` }),
        spec: specs[d]![n % 10 < 3 ? 0 : 1]!,
        nodeName: nodeName(name),
        phase: 'Running',
        unscheduled: null,
        ready: true,
      };
    }),
  );
  const controllers = labelsOf.map(({ app }): Controller => controller(`ReplicaSet/${app!}`, { replicas: 150 }));
  const podDisruptionBudgets = labelsOf.map((labels) =>
    budget({
      name: labels['app']!,
      selector: selector(labels),
      disruptionsAllowed: 15,
      currentHealthy: 150,
      desiredHealthy: 135,
      expectedPods: 150,
    }),
  );
  return scenario({
    groups,
    nodes,
    pods,
    objects: { controllers, podDisruptionBudgets },
    options: NO_LIMITS,
    state: { lastEvaluation: NOW },
  });
}

/** Removal of nodes, from observation to decision. */
export const scaleDownBenchmarks: Readonly<Record<string, Benchmark>> = {
  'scale-down-2000': evaluation(() => evenlyUsed(2_000), 100),
  'scale-down-budgets-5000': evaluation(budgeted, 2_000),
};
