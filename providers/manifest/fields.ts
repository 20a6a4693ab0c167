import { type EpochMs, parseTime } from '@outrigger/core/model/values/time.ts';
import { type Labels, NO_LABELS } from '@outrigger/core/model/cluster/selectors.ts';
import { messageOf } from '@outrigger/core/model/values/error-message.ts';
import { clip } from '@outrigger/core/model/values/clip.ts';
import { type Invalid, type Reader, entryOf, fieldOf, itemOf, report } from './invalid.ts';

/** An object of a manifest, whose fields are not validated yet. */
export type Fields = Readonly<Record<string, unknown>>;

/**
 * A manifest to write, in the shape that `JSON.stringify` takes. `null` and absent mean the same to Kubernetes.
 */
export type Manifest = { readonly [key: string]: unknown };

const NO_FIELDS: Fields = Object.freeze({});
const NOTHING: readonly never[] = Object.freeze([]);

/** An object of a document at its place, with the list that its problems are added to. */
export interface Section {
  readonly fields: Fields;
  readonly place: string;
  readonly problems: Invalid[];
}

/**
 * A reader of an object. It never throws and always returns a value: what cannot be read is added to the problems and
 * replaced by a default, so that one pass finds every problem. The value is valid only if no problem was added.
 */
export type SectionReader<T> = (from: Section) => T;

/** Reads a field of an object. */
export type FieldReader<T, Key extends string = string> = (from: Section, key: Key) => T;

// A field's place is built only when there is a problem to report: the pods of a large cluster are read at two million
// fields a second.

export const isFields = (raw: unknown): raw is Fields => typeof raw === 'object' && raw !== null && !Array.isArray(raw);

/** The fields of a value of any form: none unless the value is an object. */
export const looseFields = (raw: unknown): Fields => (isFields(raw) ? raw : NO_FIELDS);

/** The items of a value of any form: none unless the value is a list. */
export const looseList = (raw: unknown): readonly unknown[] => (Array.isArray(raw) ? raw : NOTHING);

/** The text of a value of any form: empty unless the value is a string. */
export const looseText = (raw: unknown): string => (typeof raw === 'string' ? raw : '');

/** A value that must be an object. */
export function sectionOf(raw: unknown, place: string, problems: Invalid[]): Section {
  const isObject = isFields(raw);
  if (!isObject) {
    report(problems, place, 'an object', raw);
  }
  return { fields: isObject ? raw : NO_FIELDS, place, problems };
}

/** The same reader for a value of any form. */
export const readerOf =
  <T>(read: SectionReader<T>): Reader<T> =>
  (raw, place, problems) =>
    read(sectionOf(raw, place, problems));

/**
 * The result of a reader, kept apart from everything else: if the reader throws against its promise, the exception is a
 * problem of this one value.
 *
 * @returns `null` where it threw.
 */
export function attempt<T>(reader: SectionReader<T>, raw: unknown, place: string, problems: Invalid[]): T | null {
  try {
    return reader(sectionOf(raw, place, problems));
  } catch (error) {
    problems.unshift({ place, expected: 'a value that can be read', found: clip(messageOf(error)) });
    return null;
  }
}

/** Reports a field of an object. */
export const reportIn = ({ fields, place, problems }: Section, key: string, expected: string): void =>
  report(problems, entryOf(place, key), expected, fields[key]);

/** The same object, whose problems are reported elsewhere, or not at all. */
export const unreported = (from: Section): Section => ({ ...from, problems: [] });

const isAbsent = (raw: unknown): raw is null | undefined => raw === undefined || raw === null;

/** Reports a field that is not absent. @returns `null` */
export function reportPresent(from: Section, key: string, expected: string): null {
  if (!isAbsent(from.fields[key])) {
    reportIn(from, key, expected);
  }
  return null;
}

const innerSection = (from: Section, key: string, fields: Fields): Section => ({
  fields,
  place: fieldOf(from.place, key),
  problems: from.problems,
});

/** An object; `null` when it is absent. */
export function optionalObjectIn(from: Section, key: string): Section | null {
  const raw = from.fields[key];
  return isFields(raw) ? innerSection(from, key, raw) : reportPresent(from, key, 'an object');
}

/** An object; one without fields when it is absent. */
export const objectIn = (from: Section, key: string): Section =>
  optionalObjectIn(from, key) ?? innerSection(from, key, NO_FIELDS);

/** A list of anything; empty when it is absent. */
export function listIn(from: Section, key: string): readonly unknown[] {
  const raw = from.fields[key];
  return Array.isArray(raw) ? raw : (reportPresent(from, key, 'a list') ?? NOTHING);
}

/** Reads a list item by item, only up to a number of items; it is empty when it is absent. */
function readItems<T>(
  from: Section,
  key: string,
  most: number,
  read: (raw: unknown, place: string) => T,
): readonly T[] {
  const whole = listIn(from, key);
  const raw = whole.length > most ? whole.slice(0, most) : whole;
  if (raw.length === 0) {
    return NOTHING;
  }
  const path = fieldOf(from.place, key);
  return raw.map((item, index) => read(item, itemOf(path, index)));
}

/** Reads lists of objects; a list is empty when it is absent. */
export const itemsReader =
  <T>(read: SectionReader<T>, most = Number.POSITIVE_INFINITY): FieldReader<readonly T[]> =>
  (from, key) =>
    readItems(from, key, most, (raw, place) => read(sectionOf(raw, place, from.problems)));

/** The objects of a list. */
export const sectionsIn = itemsReader((item) => item);

/** Reads lists of strings, only up to a number of them. */
export const stringsReader =
  (most = Number.POSITIVE_INFINITY): FieldReader<readonly string[]> =>
  (from, key) =>
    readItems(from, key, most, (raw, place) => {
      if (typeof raw === 'string') {
        return raw;
      }
      report(from.problems, place, 'a string', raw);
      return '';
    });

export const stringsIn = stringsReader();

/** A string; `null` when it is absent. */
export function optionalStringIn(from: Section, key: string): string | null {
  const raw = from.fields[key];
  return typeof raw === 'string' ? raw : reportPresent(from, key, 'a string');
}

/** A string; empty when it is absent. */
export const stringIn = (from: Section, key: string): string => optionalStringIn(from, key) ?? '';

/** A required, non-empty string. */
export function nameIn(from: Section, key: string): string {
  const raw = from.fields[key];
  if (typeof raw === 'string' && raw !== '') {
    return raw;
  }
  reportIn(from, key, 'a name');
  return '';
}

/** A string where absent and empty mean the same: none. */
export const optionalNameIn = (from: Section, key: string): string | null => unlessBlank(stringIn(from, key));

export function booleanIn(from: Section, key: string): boolean {
  const raw = from.fields[key];
  return typeof raw === 'boolean' ? raw : (reportPresent(from, key, 'true or false') ?? false);
}

/** The first number beyond an int64, either way. */
const INT64 = 2 ** 63;

/**
 * An int64, as the API server accepts it; `null` when it is absent. One that a double cannot represent exactly
 * becomes the nearest double: no decision depends on more than 2^53 seconds, bytes or pods.
 */
export function integerIn(from: Section, key: string): number | null {
  const raw = from.fields[key];
  if (isAbsent(raw)) {
    return null;
  }
  if (Number.isSafeInteger(raw)) {
    // `-0` is a JSON number too, and equal to no other zero in a Map or a comparison of plans.
    return (raw as number) + 0;
  }
  if (Number.isInteger(raw) && Math.abs(raw as number) <= INT64) {
    return (raw as number) > 0 ? Number.MAX_SAFE_INTEGER : Number.MIN_SAFE_INTEGER;
  }
  reportIn(from, key, 'an integer');
  return null;
}

export function timeIn(from: Section, key: string): EpochMs | null {
  const raw = from.fields[key];
  if (isAbsent(raw)) {
    return null;
  }
  if (typeof raw === 'string') {
    const time = parseTime(raw);
    if (time.ok) {
      return time.value;
    }
  }
  reportIn(from, key, 'a time such as 2026-01-01T12:00:00Z');
  return null;
}

/** Labels or annotations. The object is kept as it is, not copied. */
export function labelsIn(from: Section, key: string): Labels {
  const raw = from.fields[key];
  if (!isFields(raw)) {
    return reportPresent(from, key, 'an object') ?? NO_LABELS;
  }
  for (const name in raw) {
    if (typeof raw[name] !== 'string') {
      reportIn(objectIn(from, key), name, 'a string (numbers and true or false in quotes)');
    }
  }
  return raw as Labels;
}

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
