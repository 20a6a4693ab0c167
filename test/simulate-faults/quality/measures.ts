import type { RunQuality } from './observe.ts';

/** A figure of a batch of runs. Lower is better for all measures. */
export interface Measure {
  readonly name: string;
  readonly words: string;
  /** @returns the figure of the batch in which each run counts so many times; not finite if the runs have no case. */
  readonly over: (runs: readonly RunQuality[]) => (times: readonly number[]) => number;
}

/** Seconds. A few pods wait for an hour, while the cloud has no capacity: the 95th percentile shows these. */
const LONGEST_WAIT = 300;

export const MEASURES: readonly Measure[] = [
  ratio(
    'capacity',
    'capacity-hours used per capacity-hour needed',
    (run) => run.usedHours,
    (run) => run.neededHours,
  ),
  ratio(
    'removedEarly',
    'nodes removed within 15 minutes of their launch, per 1,000 launched',
    (run) => run.removedEarly,
    (run) => run.launched / 1_000,
  ),
  ratio(
    'moved',
    'pods evicted per hour and 100 pods',
    (run) => run.evicted,
    (run) => run.podHours / 100,
  ),
  ratio(
    'meanWait',
    'seconds that a pod waits beyond a boot, mean of at most 300 each',
    (run) => run.waits.reduce((sum, wait) => sum + Math.min(wait, LONGEST_WAIT), 0),
    (run) => run.waits.length,
  ),
  quantile('p95Wait', 'seconds that a pod waits beyond a boot, 95th percentile', 0.95, (run) => run.waits),
];

function ratio(
  name: string,
  words: string,
  numerator: (run: RunQuality) => number,
  denominator: (run: RunQuality) => number,
): Measure {
  return {
    name,
    words,
    over: (runs) => {
      const above = runs.map(numerator);
      const below = runs.map(denominator);
      return (times) => weighted(above, times) / weighted(below, times);
    },
  };
}

function weighted(values: readonly number[], times: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < values.length; i += 1) {
    sum += values[i]! * times[i]!;
  }
  return sum;
}

/** A quantile of the values of all runs together. */
function quantile(
  name: string,
  words: string,
  part: number,
  valuesOf: (run: RunQuality) => readonly number[],
): Measure {
  return {
    name,
    words,
    over: (runs) => {
      const counts = runs.map((run) => valuesOf(run).length);
      const largestFirst = runs
        .flatMap((run, i) => valuesOf(run).map((value) => ({ value, i })))
        .toSorted((a, b) => b.value - a.value);
      return (times) => {
        let above = (1 - part) * weighted(counts, times);
        for (const { value, i } of largestFirst) {
          above -= times[i]!;
          if (above < 0) {
            return value;
          }
        }
        return Number.NaN;
      };
    },
  };
}
