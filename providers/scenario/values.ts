import { type DurationMs, type EpochMs, durationMs, epochMs, parseDuration } from '../../core/model/values/time.ts';
import { type Fields, integerIn, listIn, objectIn, stringIn, timeIn } from '../manifest/fields.ts';
import { type Invalid, type Reader, entryOf, fieldOf, itemOf, report } from '../manifest/invalid.ts';
import { didYouMean } from '../schema/known-fields.ts';

const isAbsent = (raw: unknown): raw is null | undefined => raw === undefined || raw === null;

/** A time that must be there. */
export function requiredTimeIn(from: Fields, key: string, place: string, problems: Invalid[]): EpochMs {
  if (isAbsent(from[key])) {
    report(problems, fieldOf(place, key), 'a time such as 2026-01-01T12:00:00Z', from[key]);
  }
  return timeIn(from, key, place, problems) ?? epochMs(0);
}

/** An integer of at least `min` that must be there. */
export function countIn(from: Fields, key: string, place: string, problems: Invalid[], min = 0): number {
  const value = integerIn(from, key, place, problems, null);
  if (value === null ? isAbsent(from[key]) : value < min) {
    report(problems, fieldOf(place, key), `an integer of at least ${min}`, from[key]);
  }
  return value ?? min;
}

/** One of a few words; `fallback` when it is absent, or an error where there is none. */
export function choiceIn<T extends string>(
  from: Fields,
  key: string,
  place: string,
  problems: Invalid[],
  choices: readonly T[],
  fallback: T | null,
): T {
  const raw = from[key];
  if (isAbsent(raw) && fallback !== null) {
    return fallback;
  }
  const chosen = choices.find((choice) => choice === raw);
  if (chosen === undefined) {
    const hint = typeof raw === 'string' ? didYouMean(raw, choices) : '';
    report(problems, fieldOf(place, key), `one of ${choices.join(', ')}${hint}`, raw);
  }
  return chosen ?? choices[0]!;
}

/** Reads a duration as Go writes it. */
export const readDuration: Reader<DurationMs> = (raw, place, problems) => {
  // `0` alone is a duration to Go, and YAML makes a number of it.
  const parsed = raw === 0 ? parseDuration('0') : typeof raw === 'string' ? parseDuration(raw) : null;
  if (parsed?.ok === true && parsed.value >= 0) {
    return parsed.value;
  }
  report(problems, place, 'a duration such as 30s, 10m or 1h30m', raw);
  return durationMs(0);
};

/** An object that is a table: each entry is read, under its own name. */
export function recordIn<T>(
  from: Fields,
  key: string,
  place: string,
  problems: Invalid[],
  read: Reader<T>,
): Readonly<Record<string, T>> {
  const at = fieldOf(place, key);
  // `fromEntries` makes a field of every name, `__proto__` among them.
  return Object.fromEntries(
    Object.entries(objectIn(from, key, place, problems)).map(([name, raw]) => [
      name,
      read(raw, entryOf(at, name), problems),
    ]),
  );
}

export const readTime: Reader<EpochMs> = (raw, place, problems) => {
  const time = typeof raw === 'string' ? timeIn({ time: raw }, 'time', '', []) : null;
  if (time === null) {
    report(problems, place, 'a time such as 2026-01-01T12:00:00Z', raw);
  }
  return time ?? epochMs(0);
};

/** A list of names, each given once. */
export function namesIn(from: Fields, key: string, place: string, problems: Invalid[]): readonly string[] {
  const seen = new Set<string>();
  const at = fieldOf(place, key);
  for (const [index, raw] of listIn(from, key, place, problems).entries()) {
    if (typeof raw !== 'string' || raw === '') {
      report(problems, itemOf(at, index), 'a name', raw);
    } else if (seen.has(raw)) {
      report(problems, itemOf(at, index), 'each name once', raw);
    } else {
      seen.add(raw);
    }
  }
  return [...seen];
}

export const optionalStringIn = (from: Fields, key: string, place: string, problems: Invalid[]): string | null =>
  isAbsent(from[key]) ? null : stringIn(from, key, place, problems);
