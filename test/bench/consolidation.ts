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

/** Node groups with nodes of one size, spread over three zones. */
interface Fleet {
  readonly name: string;
  readonly cpu: number;
  /** USD per hour. */
  readonly price: number;
  readonly groups: number;
  /** Number of nodes in each group. */
  readonly nodes: number;
  /** CPU of the pods on each node, in thousandths. */
  readonly pods: readonly number[];
}

function clusterOf(fleets: readonly Fleet[]): Scenario {
  const numbered = (name: string, i: number): string => `${name}-${String(i).padStart(3, '0')}`;
  const sized = fleets.map(({ name, cpu, price, groups: count, nodes: each, pods: cpus }) => {
    const shape = { cpu, memory: `${cpu * 4}Gi` };
    const groups = times(count, (g) => ({
      ...group(numbered(name, g), {
        zone: `us-east-1${'abc'[g % 3]!}`,
        max: 200,
        node: shape,
        nodes: times(each, (n) => numbered(numbered(name, g), n)),
      }),
      price,
      capacityType: 'on-demand',
    }));
    const nodes = groups.flatMap((of) => of.nodes.map((on) => node(on, shape, { createdAt: DAY_OLD })));
    const pods = nodes.flatMap(({ name: on }, n) =>
      cpus.map((milliCpu, i): Pod => ({
        ...pod(`p-${on}-${i}`, {
          node: on,
          owner: 'ReplicaSet/web',
          requests: { cpu: `${milliCpu}m`, memory: `${100 + ((n + i) % 10)}Mi` },
        }),
        nodeName: nodeName(on),
      })),
    );
    return { groups, nodes, pods };
  });
  return scenario({
    groups: sized.flatMap(({ groups }) => groups),
    nodes: sized.flatMap(({ nodes }) => nodes),
    pods: sized.flatMap(({ pods }) => pods),
    objects: { controllers: [WEB] },
    options: { consolidation: 'replace' },
  });
}

/** 30 pods of ten kinds, beside which no other pod fits. */
const thirty = (cpu: number): readonly number[] => times(30, () => Math.floor((cpu * 1_000) / 30));

const fullFleet = (cpu: number, groups: number, nodes: number): Fleet => ({
  name: `full-${cpu}`,
  cpu,
  price: cpu * 0.048,
  groups,
  nodes,
  pods: thirty(cpu),
});

/** 5 100 nodes in 150 groups of three sizes: no pods fit elsewhere, nor on a smaller node. The whole search is in vain. */
const full = (): Scenario => clusterOf([4, 8, 16].map((cpu) => fullFleet(cpu, 50, 34)));

/** 4 950 full nodes of 16 vCPU, and 51 of 48 that are a third dearer for each vCPU: three of 16 hold the pods of one. */
const tooLarge = (): Scenario =>
  clusterOf([fullFleet(16, 99, 50), { name: 'large', cpu: 48, price: 3.024, groups: 3, nodes: 17, pods: thirty(48) }]);

/** 5 000 nodes of 4 vCPU with a pod of 2.4 each: a node of 8 holds the pods of three. */
const halfUsed = (): Scenario =>
  clusterOf([
    { name: 'small', cpu: 4, price: 0.192, groups: 100, nodes: 50, pods: [2_400, 100, 100] },
    { name: 'twice', cpu: 8, price: 0.384, groups: 3, nodes: 0, pods: [] },
  ]);

export const consolidationBenchmarks: Readonly<Record<string, Benchmark>> = {
  'consolidation-5000-with-budgets': deciding(() =>
    withConsolidation(budgeted(), { scaleDownUtilizationThreshold: 0 }),
  ),
  'consolidation-5000-after-scale-down': deciding(() =>
    withConsolidation(budgeted(), { maxScaleDownParallelism: 10, maxDrainParallelism: 5 }),
  ),
  'consolidation-5000-in-vain': deciding(full),
  'consolidation-5000-one-to-several': deciding(tooLarge),
  'consolidation-5000-several-to-fewer': deciding(halfUsed),
};
