import { tzOffset } from '@date-fns/tz/tzOffset';
import { err, ok, type Result } from './result.ts';
import type { DurationMs, EpochMs } from './time.ts';

declare const brand: unique symbol;

/** The reading of a wall clock: milliseconds since it showed 1970-01-01 00:00. In UTC it is the time itself. */
export type WallTime = number & { readonly [brand]: 'WallTime' };

export const wallTime = (value: number): WallTime => value as WallTime;

export const addWallTime = (time: WallTime, length: DurationMs): WallTime => (time + length) as WallTime;

/** As `2026-03-29 02:30`. */
export const formatWallTime = (time: WallTime): string =>
  new Date(time).toISOString().slice(0, '2026-03-29T02:30'.length).replace('T', ' ');

const A_TIME_ZONE = 'a time zone of the IANA database such as Europe/Berlin';
/** An offset as people write it: hours with two digits or with minutes, which no name of the database has. */
const OFFSET = /^[A-Za-z]{0,5}([+-])(0[1-9]|1[0-4]|[1-9])(?::?00)?$/;
/** `Etc/GMT+1` is one; `+01:00`, which JavaScript takes too, is none. */
const NAME = /^[A-Za-z][\w+/-]{0,63}$/;

/**
 * Reads the name of a time zone. Upper and lower case are the same: annotations of Cluster API come in lower case.
 *
 * @returns the name, in the spelling of the database where it is given in lower case, or what was expected instead.
 */
export function parseTimeZone(text: string): Result<string, string> {
  const [, sign, hours] = OFFSET.exec(text) ?? [];
  if (sign !== undefined) {
    // The names of POSIX count the hours that UTC is ahead, so that the sign is the opposite of the usual one.
    const name = `Etc/GMT${sign === '+' ? '-' : '+'}${Number(hours)}`;
    return err(`${A_TIME_ZONE}; an offset all year such as ${text} is written ${name}`);
  }
  if (!NAME.test(text) || Number.isNaN(tzOffset(text, new Date(0)))) {
    return err(A_TIME_ZONE);
  }
  try {
    const { timeZone } = new Intl.DateTimeFormat('en-US', { timeZone: text }).resolvedOptions();
    return ok(timeZone.toLowerCase() === text.toLowerCase() ? timeZone : text);
  } catch {
    // `tzOffset` takes an offset at the end of any text for a time zone, and `Intl` has the names of the database alone.
    return err(A_TIME_ZONE);
  }
}

/**
 * The wall time in a time zone. Rules of time zones are those of the runtime's database; the machine's own time zone
 * has no part in it.
 *
 * @returns `null` where the runtime does not know the time zone.
 */
export function wallTimeAt(at: EpochMs, timeZone: string): WallTime | null {
  const offset = tzOffset(timeZone, new Date(at));
  return Number.isNaN(offset) ? null : wallTime(at + offset * 60_000);
}
