import { clockTime } from '../../terminal/clock-time.ts';

/** Seconds between the times at an axis: round ones, so that each is easy to read. */
const STEPS = [1, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 14_400, 43_200];
/** Times at an axis, at most. */
const MOST_TIMES = 10;

/** The step of an axis in seconds, by the length of the axis. */
const stepOf = (length: number): number => STEPS.find((step) => length / step <= MOST_TIMES) ?? 86_400;

/** A time of a report, in seconds from its start: by the clock where the start is known, else from the start. */
export function timeText(at: number, start: number | null): string {
  if (start !== null) {
    return new Date(start + at * 1_000).toISOString().slice(11, 19);
  }
  return clockTime(at);
}

/** The ticks of an axis of seconds, with times at round steps. */
export const timeTicks = (length: number, start: number | null) => ({
  maxRotation: 0,
  autoSkipPadding: 16,
  stepSize: stepOf(length),
  callback: (value: number | string) => timeText(Number(value), start),
});
