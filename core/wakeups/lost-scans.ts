import { type DurationMs, durationMs } from '../model/values/time.ts';

/** Scans in a row of which nothing came: fewer are lost now and then. */
const SCANS = 3;

/**
 * After how long without an evaluation something is concluded from that: at least as long, and longer where scans are rare.
 *
 * @param scanInterval time between evaluations that no event causes
 */
export const withLostScans = (least: DurationMs, scanInterval: DurationMs): DurationMs =>
  durationMs(Math.max(least, SCANS * scanInterval));
