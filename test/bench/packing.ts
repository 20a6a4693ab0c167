import { evaluate } from '../../core/evaluate.ts';
import type { NodeGroup } from '../../core/model/node-group.ts';
import type { Pod } from '../../core/model/cluster/pod.ts';
import { randomFrom } from '../../core/model/values/random.ts';
import { pod } from '../builders.ts';
import { openbLacking, openbPods } from '../openb.ts';
import { group, scenario, times } from '../scenario-builders.ts';
import type { Benchmark } from './measure.ts';

const GIB = 2 ** 30;

/** Requests of a pod, as shares of a node of 16 CPUs and 64 GiB. */
type Draw = (random: () => number) => readonly [cpu: number, memory: number];

/** Shapes of demand that packing is known to find easy or hard. */
const DRAWS: Readonly<Record<string, Draw>> = {
  uniform: (random) => [0.02 + 0.6 * random(), 0.02 + 0.6 * random()],
  correlated: (random) => {
    const size = 0.02 + 0.5 * random();
    return [size, Math.min(0.95, size * (0.8 + 0.4 * random()))];
  },
  'anti-correlated': (random) => {
    const cpu = 0.05 + 0.5 * random();
    return [cpu, 0.6 - cpu];
  },
  'heavy-tailed': (random) => {
    const size = Math.min(0.9, 0.01 / (1 - random()));
    return [size, Math.min(0.9, size * (0.5 + random()))];
  },
  skewed: (random) => (random() < 0.5 ? [0.02 + 0.5 * random(), 0.02] : [0.02, 0.02 + 0.5 * random()]),
};

const priced = (name: string, cpu: number, gib: number, price: number): NodeGroup => ({
  ...group(name, { max: 10_000, node: { cpu, memory: gib * GIB, pods: 234 }, labels: { type: name } }),
  price,
});

/** General, compute and memory instances of two sizes, with prices of their kind. */
const GROUPS: readonly NodeGroup[] = [
  priced('general-16', 16, 64, 0.768),
  priced('general-32', 32, 128, 1.536),
  priced('compute-16', 16, 32, 0.68),
  priced('memory-16', 16, 128, 1.008),
];

function seeded(draw: Draw): readonly Pod[] {
  const random = randomFrom(7);
  return times(2_000, (i) => {
    const [cpu, memory] = draw(random);
    return pod(`p-${i}`, { requests: { cpu: `${Math.ceil(cpu * 16_000)}m`, memory: Math.ceil(memory * 64 * GIB) } });
  });
}

/** The CPU-only pods of a production trace. */
const openb = (): readonly Pod[] =>
  openbPods()
    .filter(({ gpus }) => gpus === 0)
    .map(({ name, milliCpu, memoryMib }) => pod(name, { requests: { cpu: `${milliCpu}m`, memory: `${memoryMib}Mi` } }));

const packing = (makePods: () => readonly Pod[], groups: readonly NodeGroup[]): Benchmark => ({
  goalMs: null,
  prepare: () => {
    const pods = makePods();
    const input = scenario({
      groups,
      pods,
      options: { expander: ['price'], maxNodesPerScaleup: 100_000, coresTotal: { min: 0, max: 10_000_000 } },
    });
    return () => {
      const { scaleUp } = evaluate(input);
      const { cost, bound } = scaleUp.plan!;
      const placed = scaleUp.pods.filter(({ outcome }) => outcome === 'Triggered').length;
      const ratio = bound === null ? 'bound not computed' : `${(cost / bound).toFixed(3)} × the fractional bound`;
      return `${ratio}: ${cost.toFixed(1)} USD/h; ${placed} of ${pods.length} pods`;
    };
  },
});

/** How much a plan costs, as a multiple of what no plan can be below. */
export const packingBenchmarks: Readonly<Record<string, Benchmark>> = {
  ...Object.fromEntries(
    Object.entries(DRAWS).map(([name, draw]) => [`packing-${name}`, packing(() => seeded(draw), GROUPS)]),
  ),
  'packing-openb': { ...packing(openb, [priced('r5.12xlarge', 47.81, 364, 3.024)]), lacking: openbLacking },
};
