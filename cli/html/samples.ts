/** A value from a time on, in milliseconds since 1970, until the next sample. */
export type SampledValue = readonly [at: number, value: number];

/** Values that stay the same are one sample. */
export function addSample(samples: SampledValue[], at: number, value: number): void {
  if (samples.at(-1)?.[1] !== value) {
    samples.push([at, value]);
  }
}

/** The last sample from before says what holds at `from`. */
export function forgetSamples(samples: SampledValue[], from: number): void {
  const first = samples.findLastIndex(([at]) => at <= from);
  if (first > 0) {
    samples.splice(0, first);
  }
}

type Point = readonly [seconds: number, value: number];

/** Samples as points of a chart over time: in seconds from a time, until an end. */
export function pointsOf(samples: readonly SampledValue[], from: number, end: number): readonly Point[] {
  return untilEnd(
    samples.map(([at, value]) => [Math.max(0, at - from) / 1_000, value] as const),
    end,
  );
}

/** Points that go on until an end with their last value. */
export function untilEnd(points: readonly Point[], end: number): readonly Point[] {
  const last = points.at(-1);
  if (last === undefined || last[0] >= end) {
    return points;
  }
  return [...points, [end, last[1]]];
}
