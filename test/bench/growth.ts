import { evaluate } from '../../core/evaluate.ts';
import type { Scenario } from '../../core/model/scenario.ts';
import { pod } from '../builders.ts';
import { group, scenario, times } from '../scenario-builders.ts';
import type { Benchmark } from './measure.ts';

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

function milliseconds(input: Scenario): number {
  globalThis.gc?.();
  const start = performance.now();
  evaluate(input);
  return performance.now() - start;
}

const median = (taken: readonly number[]): number => taken.toSorted((a, b) => a - b)[Math.floor(taken.length / 2)]!;

const growth = (once: Scenario, twice: Scenario): Benchmark => ({
  goalMs: null,
  runs: 1,
  prepare: () => () => {
    // In turn, so that what else the host does falls on both.
    const taken = times(RUNS, () => [milliseconds(once), milliseconds(twice)] as const);
    const less = median(taken.map(([first]) => first));
    const more = median(taken.map(([, second]) => second));
    return `${(more / less).toFixed(2)} × (${less.toFixed(1)} → ${more.toFixed(1)} ms)`;
  },
});

/** What an evaluation costs when there is twice as much of something: medians of 9 evaluations each. */
export const growthBenchmarks: Readonly<Record<string, Benchmark>> = {
  'growth-pods-20000-to-40000': growth(waiting(20_000, 40), waiting(40_000, 40)),
  'growth-kinds-200-to-400': growth(waiting(10_000, 200), waiting(10_000, 400)),
};
