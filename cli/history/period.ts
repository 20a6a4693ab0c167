import { InvalidArgumentError } from 'commander';
import { type EpochMs, epochMs, parseDuration, parseTime } from '../../core/model/values/time.ts';

/** A time that was given: as such, or as how long ago it is. */
export type Moment = (now: EpochMs) => EpochMs;

const EXPECTED = 'Expected how long ago, such as 2h or 90m, or a time, such as 2026-01-01T12:00:00Z.';

/** Reads `2h`, `7d` or a time of RFC 3339. */
export function momentOf(text: string): Moment {
  const days = /^(\d{1,3})d$/.exec(text);
  const ago = days === null ? parseDuration(text) : parseDuration(`${Number(days[1]) * 24}h`);
  if (ago.ok && ago.value > 0) {
    return (now) => epochMs(now - ago.value);
  }
  const time = parseTime(text);
  if (!time.ok) {
    throw new InvalidArgumentError(EXPECTED);
  }
  return () => time.value;
}

const MOST = 10_000;

export function periodLimit(text: string): number {
  const limit = Number(text);
  if (!/^\d+$/.test(text) || limit < 1 || limit > MOST) {
    throw new InvalidArgumentError(`Expected a number from 1 to ${MOST}.`);
  }
  return limit;
}
