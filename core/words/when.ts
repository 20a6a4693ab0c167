import {
  type DurationMs,
  durationMs,
  type EpochMs,
  formatDuration,
  formatTime,
  minutes,
} from '../model/values/time.ts';

/** From this length on, seconds are not said. */
const SECONDS_UP_TO = minutes(10);

/** `45s`, `2m10s`, `17m`, `3h2m`. */
export function roughly(length: DurationMs): string {
  const unit = length < SECONDS_UP_TO ? 1_000 : 60_000;
  return formatDuration(durationMs(Math.floor(length / unit) * unit));
}

/** `2026-01-01T12:00:00Z, 2m10s ago`. A time that has not come by this clock is said alone, as two clocks differ. */
export const sinceText = (time: EpochMs, now: EpochMs): string =>
  time > now ? formatTime(time) : `${formatTime(time)}, ${roughly(durationMs(now - time))} ago`;

/** `2026-01-01T12:00:00Z, in 2m10s`; of a time that is over, the time alone. */
export const untilText = (time: EpochMs, now: EpochMs): string =>
  time <= now ? formatTime(time) : `${formatTime(time)}, in ${roughly(durationMs(time - now))}`;
