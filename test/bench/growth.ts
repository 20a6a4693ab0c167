import { evaluate } from '../../core/evaluate.ts';
import type { Scenario } from '../../core/model/scenario.ts';
import { pod } from '../builders.ts';
import { group, scenario, times } from '../scenario-builders.ts';
import { largeCluster } from './scale-up.ts';
import { type Benchmark, cpuSince, median } from './measure.ts';

const RUNS = 9;

/** This many pods of this many kinds, on groups that start empty. */
function waiting(pods: number, kinds: number): Scenario {
  const specs = times(kinds, (i) => pod('sample', { requests: { cpu: `${50 + i}m`, memory: `${100 + i}Mi` } }).spec);
  return scenario({
    groups: times(6, (i) =>
      group(`g-${i}`, { max: 5_000, zone: `us-east-1${'abc'[i % 3]!}`, node: { cpu: i < 3 ? 8 : 16, memory: '64Gi' } }),
    ),
    pods: times(pods, (i) => ({ ...pod(`p-${i}`), spec: specs[i % kinds]! })),
  });
}

/** CPU time of an evaluation. */
function milliseconds(input: Scenario): number {
  globalThis.gc?.();
  const before = process.cpuUsage();
  evaluate(input);
  return cpuSince(before);
}

const growth = (make: (factor: number) => Scenario): Benchmark => ({
  goalMs: null,
  runs: 1,
  warmUps: 1,
  prepare: () => {
    const [once, twice] = [make(1), make(2)];
    return () => {
      // In turn, so that what else the host does falls on both.
      const taken = times(RUNS, () => [milliseconds(once), milliseconds(twice)] as const);
      const less = median(taken.map(([first]) => first));
      const more = median(taken.map(([, second]) => second));
      return `${(more / less).toFixed(2)} × (${less.toFixed(1)} → ${more.toFixed(1)} ms of CPU)`;
    };
  },
});

/** Cost of an evaluation when there is twice as much of something: medians of the CPU time of 9 evaluations each. */
export const growthBenchmarks: Readonly<Record<string, Benchmark>> = {
  'growth-pods-20000-to-40000': growth((factor) => waiting(20_000 * factor, 40)),
  'growth-nodes-5000-to-10000': growth((factor) => largeCluster(5_000 * factor)),
  'growth-kinds-200-to-400': growth((factor) => waiting(10_000, 200 * factor)),
};
