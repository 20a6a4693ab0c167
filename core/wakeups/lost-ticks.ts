import { type DurationMs, durationMs } from '../model/values/time.ts';

/** Ticks in a row of which nothing came: fewer are lost now and then. */
const TICKS = 3;

/**
 * After how long without an evaluation something is concluded from that: at least as long, and longer where ticks are rare.
 *
 * @param tick time between evaluations that no event causes
 */
export const withLostTicks = (least: DurationMs, tick: DurationMs): DurationMs =>
  durationMs(Math.max(least, TICKS * tick));
