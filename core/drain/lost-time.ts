import type { Drain } from '../model/drain.ts';
import { addTime, type DurationMs } from '../model/values/time.ts';

/**
 * The drain as if this time had not passed: in which no step could be made, or was to be made. What goes by the clock
 * (grace periods, delays) goes on meanwhile.
 */
export const withoutTime = (drain: Drain, lost: DurationMs): Drain => ({
  ...drain,
  phaseSince: addTime(drain.phaseSince, lost),
  evictions: drain.evictions.map((eviction) => ({ ...eviction, giveUpAt: addTime(eviction.giveUpAt, lost) })),
});
