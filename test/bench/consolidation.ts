import { evaluate } from '../../core/evaluate.ts';
import { nodeName } from '../../core/model/values/names.ts';
import type { Node } from '../../core/model/cluster/node.ts';
import type { NodeGroup } from '../../core/model/node-group.ts';
import type { Pod } from '../../core/model/cluster/pod.ts';
import type { Options } from '../../core/model/options.ts';
import type { Scenario } from '../../core/model/scenario.ts';
import { minutes } from '../../core/model/values/time.ts';
import { node, pod } from '../builders.ts';
import { group, NOW, scenario, times } from '../scenario-builders.ts';
import { WEB } from '../core/scaledown/cluster.ts';
import type { Benchmark } from './measure.ts';
import { budgeted } from './scale-down.ts';

const DAY_OLD = (NOW - minutes(24 * 60)) as never;

const deciding = (make: () => Scenario): Benchmark => ({
  goalMs: 1_000,
  prepare: () => {
    const input = make();
    return () => {
      const { scaleDown, state } = evaluate(input);
      const consolidated = scaleDown.removals.filter(({ reason }) => reason === 'Underutilized').length;
      return `${consolidated} nodes deleted, ${state.disruptions?.length ?? 0} replaced, ${scaleDown.unremovable.length} stay`;
    };
  },
});

const priced = (groups: readonly NodeGroup[]): readonly NodeGroup[] =>
  groups.map((one, i) => ({ ...one, price: 0.768 + i / 10_000, capacityType: 'on-demand' }));

const aged = (nodes: readonly Node[]): readonly Node[] => nodes.map((one) => ({ ...one, createdAt: DAY_OLD }));

const withConsolidation = (given: Scenario, options: Partial<Options> = {}): Scenario => ({
  ...given,
  options: { ...given.options, consolidation: 'replace', ...options },
  nodeGroups: priced(given.nodeGroups),
  objects: { ...given.objects, nodes: aged(given.objects.nodes) },
});

/**
 * 5 000 nodes in 150 groups of three sizes, each as full as it can be: 30 kinds of pods, of which none fits elsewhere nor the
 * pods of any node on a smaller one. The whole search is in vain.
 */
function full(): Scenario {
  const sizes = [4, 8, 16];
  const perGroup = 34;
  const nameOf = (g: number, n: number): string => `n-${String(g).padStart(3, '0')}-${String(n).padStart(2, '0')}`;
  const groups = times(150, (g) =>
    group(`g-${String(g).padStart(3, '0')}`, {
      zone: `us-east-1${'abc'[g % 3]!}`,
      max: 100,
      node: { cpu: sizes[g % 3]!, memory: `${sizes[g % 3]! * 4}Gi` },
      nodes: times(perGroup, (n) => nameOf(g, n)),
    }),
  );
  const nodes = groups.flatMap((of, g) =>
    of.nodes.map((name) =>
      node(name, { cpu: sizes[g % 3]!, memory: `${sizes[g % 3]! * 4}Gi` }, { createdAt: DAY_OLD }),
    ),
  );
  const pods = groups.flatMap((of, g) =>
    of.nodes.flatMap((on, n) =>
      times(30, (i): Pod => {
        const cpu = Math.floor((sizes[g % 3]! * 1_000 * 0.97) / 30) - ((n + i) % 10);
        return {
          ...pod(`p-${on}-${i}`, { node: on, owner: 'ReplicaSet/web', requests: { cpu: `${cpu}m`, memory: '100Mi' } }),
          nodeName: nodeName(on),
        };
      }),
    ),
  );
  return scenario({
    groups: priced(groups).map((one, g) => ({ ...one, price: sizes[g % 3]! * 0.048 })),
    nodes,
    pods,
    objects: { controllers: [WEB] },
    options: { consolidation: 'replace' },
  });
}

export const consolidationBenchmarks: Readonly<Record<string, Benchmark>> = {
  'consolidation-5000-with-budgets': deciding(() =>
    withConsolidation(budgeted(), { scaleDownUtilizationThreshold: 0 }),
  ),
  'consolidation-5000-after-scale-down': deciding(() =>
    withConsolidation(budgeted(), { maxScaleDownParallelism: 10, maxDrainParallelism: 5 }),
  ),
  'consolidation-5000-in-vain': deciding(full),
};
