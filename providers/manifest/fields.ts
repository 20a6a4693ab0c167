import { type EpochMs, parseTime } from '@outrigger/core/model/values/time.ts';
import { type Labels, NO_LABELS } from '@outrigger/core/model/cluster/selectors.ts';
import { type Invalid, type Reader, entryOf, fieldOf, itemOf, report } from './invalid.ts';

/** An object of a manifest, whose fields are not validated yet. */
export type Fields = Readonly<Record<string, unknown>>;

/**
 * A manifest to write, in the shape that `JSON.stringify` takes. `null` and absent mean the same to Kubernetes.
 */
export type Manifest = { readonly [key: string]: unknown };

const NO_FIELDS: Fields = Object.freeze({});
const NOTHING: readonly never[] = Object.freeze([]);

/** Reads a field of an object, whose place is given. */
export type FieldReader<T, Key extends string = string> = (
  from: Fields,
  key: Key,
  place: string,
  problems: Invalid[],
) => T;

// All of these take the object, the field's name and the object's place, and build the field's place only when there is a
// problem to report: the pods of a large cluster are read at two million fields a second.

export const isFields = (raw: unknown): raw is Fields => typeof raw === 'object' && raw !== null && !Array.isArray(raw);

/** The fields of a value of any form: none unless the value is an object. */
export const looseFields = (raw: unknown): Fields => (isFields(raw) ? raw : NO_FIELDS);

/** The items of a value of any form: none unless the value is a list. */
export const looseList = (raw: unknown): readonly unknown[] => (Array.isArray(raw) ? raw : NOTHING);

/** The text of a value of any form: empty unless the value is a string. */
export const looseText = (raw: unknown): string => (typeof raw === 'string' ? raw : '');

/** Reads a value that must be an object. */
export function readFields(raw: unknown, place: string, problems: Invalid[]): Fields {
  if (isFields(raw)) {
    return raw;
  }
  report(problems, place, 'an object', raw);
  return NO_FIELDS;
}

/** An object; `null` when it is absent. */
export function optionalObjectIn(from: Fields, key: string, place: string, problems: Invalid[]): Fields | null {
  const raw = from[key];
  if (raw === undefined || raw === null) {
    return null;
  }
  if (isFields(raw)) {
    return raw;
  }
  report(problems, fieldOf(place, key), 'an object', raw);
  return null;
}

/** An object; one without fields when it is absent. */
export function objectIn(from: Fields, key: string, place: string, problems: Invalid[]): Fields {
  return optionalObjectIn(from, key, place, problems) ?? NO_FIELDS;
}

/** A list of anything; empty when it is absent. */
export function listIn(from: Fields, key: string, place: string, problems: Invalid[]): readonly unknown[] {
  const raw = from[key];
  if (raw === undefined || raw === null) {
    return NOTHING;
  }
  if (Array.isArray(raw)) {
    return raw;
  }
  report(problems, fieldOf(place, key), 'a list', raw);
  return NOTHING;
}

/**
 * Reads lists item by item; a list is empty when it is absent.
 *
 * @param most number of items after which the rest is not read.
 */
export function itemsReader<T>(read: Reader<T>, most = Number.POSITIVE_INFINITY): FieldReader<readonly T[]> {
  return (from, key, place, problems) => {
    const whole = listIn(from, key, place, problems);
    const raw = whole.length > most ? whole.slice(0, most) : whole;
    if (raw.length === 0) {
      return NOTHING;
    }
    const path = fieldOf(place, key);
    return raw.map((item, index) => read(item, itemOf(path, index), problems));
  };
}

/** A string; `null` when it is absent. */
export function optionalStringIn(from: Fields, key: string, place: string, problems: Invalid[]): string | null {
  const raw = from[key];
  if (typeof raw === 'string') {
    return raw;
  }
  if (raw !== undefined && raw !== null) {
    report(problems, fieldOf(place, key), 'a string', raw);
  }
  return null;
}

/** A string; empty when it is absent. */
export function stringIn(from: Fields, key: string, place: string, problems: Invalid[]): string {
  return optionalStringIn(from, key, place, problems) ?? '';
}

/** A required, non-empty string. */
export function nameIn(from: Fields, key: string, place: string, problems: Invalid[]): string {
  const raw = from[key];
  if (typeof raw === 'string' && raw !== '') {
    return raw;
  }
  report(problems, fieldOf(place, key), 'a name', raw);
  return '';
}

/** A string where absent and empty mean the same: none. */
export function optionalNameIn(from: Fields, key: string, place: string, problems: Invalid[]): string | null {
  return unlessBlank(stringIn(from, key, place, problems));
}

export function booleanIn(from: Fields, key: string, place: string, problems: Invalid[]): boolean {
  const raw = from[key];
  if (raw !== undefined && raw !== null && typeof raw !== 'boolean') {
    report(problems, fieldOf(place, key), 'true or false', raw);
  }
  return raw === true;
}

/** The first number beyond an int64, either way. */
const INT64 = 2 ** 63;

/**
 * An int64, as the API server accepts it; `null` when it is absent. One that a double cannot represent exactly
 * becomes the nearest double: no decision depends on more than 2^53 seconds, bytes or pods.
 */
export function integerIn(from: Fields, key: string, place: string, problems: Invalid[]): number | null {
  const raw = from[key];
  if (raw === undefined || raw === null) {
    return null;
  }
  if (Number.isSafeInteger(raw)) {
    // `-0` is a JSON number too, and equal to no other zero in a Map or a comparison of plans.
    return (raw as number) + 0;
  }
  if (Number.isInteger(raw) && Math.abs(raw as number) <= INT64) {
    return (raw as number) > 0 ? Number.MAX_SAFE_INTEGER : Number.MIN_SAFE_INTEGER;
  }
  report(problems, fieldOf(place, key), 'an integer', raw);
  return null;
}

export function timeIn(from: Fields, key: string, place: string, problems: Invalid[]): EpochMs | null {
  const raw = from[key];
  if (raw === undefined || raw === null) {
    return null;
  }
  if (typeof raw === 'string') {
    const time = parseTime(raw);
    if (time.ok) {
      return time.value;
    }
  }
  report(problems, fieldOf(place, key), 'a time such as 2026-01-01T12:00:00Z', raw);
  return null;
}

/** Labels or annotations. The object is kept as it is, not copied. */
export function labelsIn(from: Fields, key: string, place: string, problems: Invalid[]): Labels {
  const raw = optionalObjectIn(from, key, place, problems);
  if (raw === null) {
    return NO_LABELS;
  }
  for (const name in raw) {
    if (typeof raw[name] !== 'string') {
      report(problems, entryOf(fieldOf(place, key), name), 'a string (numbers and true or false in quotes)', raw[name]);
    }
  }
  return raw as Labels;
}

const readString: Reader<string> = (raw, place, problems) => {
  if (typeof raw === 'string') {
    return raw;
  }
  report(problems, place, 'a string', raw);
  return '';
};

export const stringsIn = itemsReader(readString);

/** The same, only up to a number of strings. */
export const stringsReader = (most: number): FieldReader<readonly string[]> => itemsReader(readString, most);

/**
 * Leaves out what is absent: `undefined`, `null`, and empty lists. Empty objects stay, because an empty selector has a
 * meaning.
 */
export function manifest(fields: Manifest): Manifest {
  const kept: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields)) {
    if (value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)) {
      kept[key] = value;
    }
  }
  return kept;
}

/** `null` for an object without fields. */
export const unlessEmpty = <T extends object>(fields: T): T | null =>
  Object.keys(fields).length === 0 ? null : fields;

export const unlessBlank = (text: string): string | null => (text === '' ? null : text);
