import { getOwn } from './existing.ts';
import { type Result, err, ok } from './result.ts';
import { presentItems } from './optional.ts';

declare const brand: unique symbol;

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type EpochMs = number & { readonly [brand]: 'EpochMs' };
/** A length of time in milliseconds. */
export type DurationMs = number & { readonly [brand]: 'DurationMs' };

export const epochMs = (value: number): EpochMs => value as EpochMs;
export const durationMs = (value: number): DurationMs => value as DurationMs;

export const seconds = (value: number): DurationMs => (value * 1_000) as DurationMs;
export const minutes = (value: number): DurationMs => (value * 60_000) as DurationMs;

export const addTime = (time: EpochMs, length: DurationMs): EpochMs => (time + length) as EpochMs;

/** A time that another computer has stated: where its clock is ahead, now. */
export const notAfter = (time: EpochMs, now: EpochMs): EpochMs => epochMs(Math.min(time, now));

/** The first of the times; `null` where there is none. */
export function earliestOf(times: readonly EpochMs[]): EpochMs | null {
  if (times.length === 0) {
    return null;
  }
  return epochMs(Math.min(...times));
}

const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

const DURATION = /^[+-]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;

/** Times and durations are written in far fewer characters; what is longer is not looked at. */
const LONGEST_TEXT = 64;

/** Go's durations are 64-bit numbers of nanoseconds: some 292 years. */
const LONGEST_DURATION = durationMs(2 ** 63 / 1e6);

/** The message of `parseDuration` for a duration that is longer than any in Go. */
export const DURATION_OUT_OF_RANGE = 'a duration of at most 2562047h47m';

/**
 * Parses a duration as Go's `time.ParseDuration` writes it: `10m`, `1h30m`, `1.5s`, `0`.
 * The result is rounded to whole milliseconds. Texts of more than 64 characters are refused before they are looked at:
 * annotations may have 256 KiB.
 */
export function parseDuration(text: string): Result<DurationMs, string> {
  if (text.length > LONGEST_TEXT || !DURATION.test(text)) {
    return err('a duration such as 30s, 10m or 1h30m');
  }
  let total = 0;
  for (const [, amount, unit = ''] of text.matchAll(PART)) {
    total += Number(amount) * getOwn(UNIT_MS, unit);
  }
  if (total > LONGEST_DURATION) {
    return err(DURATION_OUT_OF_RANGE);
  }
  // `-0s` is no other duration than `0s`.
  return ok(durationMs(Math.round(text.startsWith('-') ? -total : total) + 0));
}

/** Writes a duration as people write it in flags: `10m`, `1h30m`, `1.5s`, `0s`. */
export function formatDuration(length: DurationMs): string {
  if (length === 0) {
    return '0s';
  }
  const ms = Math.abs(length);
  const hours = Math.floor(ms / 3_600_000);
  const mins = Math.floor((ms % 3_600_000) / 60_000);
  const secs = (ms % 60_000) / 1_000;
  return presentItems([
    length < 0 && '-',
    hours > 0 && `${hours}h`,
    mins > 0 && `${mins}m`,
    secs > 0 && `${secs}s`,
  ]).join('');
}

const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** Parses an RFC 3339 time stamp, the form of every Kubernetes time. */
export function parseTime(text: string): Result<EpochMs, string> {
  const value = text.length <= LONGEST_TEXT && RFC3339.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(value) ? err('a time such as 2026-01-01T12:00:00Z') : ok(epochMs(value));
}

/** The years that RFC 3339 has. */
const FIRST_TIME = Date.parse('0000-01-01T00:00:00Z');
const LAST_TIME = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Writes a time stamp as Kubernetes does: whole seconds without a fraction, else milliseconds. A time outside of the
 * years 0000 to 9999 is written as the first or the last of these.
 */
export function formatTime(time: EpochMs): string {
  // Compared this way round, what is no number is the last time too.
  const within = time < LAST_TIME ? Math.max(time, FIRST_TIME) : LAST_TIME;
  return new Date(within).toISOString().replace('.000Z', 'Z');
}
