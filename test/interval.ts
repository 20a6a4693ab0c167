import { randomFrom } from '../core/model/values/random.ts';

export interface Interval {
  readonly low: number;
  readonly high: number;
}

const RESAMPLES = 1_000;
const OUTSIDE = 0.05;

/** Batches of a size that are drawn from the runs with replacement: how many times each run is in the batch. */
export function resamples(runs: number, size = runs): readonly (readonly number[])[] {
  const next = randomFrom(runs);
  return Array.from({ length: RESAMPLES }, () => {
    const times = Array.from({ length: runs }, () => 0);
    for (let i = 0; i < size; i += 1) {
      times[Math.floor(next() * runs)]! += 1;
    }
    return times;
  });
}

/** The 95 % interval of a figure over the runs, by the percentiles of the figure over batches drawn from the same runs. */
export function intervalOf(
  figure: (times: readonly number[]) => number,
  batches: readonly (readonly number[])[],
): Interval {
  const figures = batches
    .map(figure)
    .filter(Number.isFinite)
    .toSorted((a, b) => a - b);
  const at = (part: number): number => figures[Math.round(part * (figures.length - 1))] ?? Number.NaN;
  return { low: at(OUTSIDE / 2), high: at(1 - OUTSIDE / 2) };
}
