import { clip, quoted } from '@outrigger/core/model/values/clip.ts';
import type { RejectedObject } from '@outrigger/core/ports/cluster.ts';

/** A problem of a document: its place, the expected value, and the value found. */
export type Invalid = RejectedObject;

/**
 * A reader of one value. It never throws and always returns a value: what cannot be read is added to `problems` and
 * replaced by a default, so that one pass finds every problem. The value is valid only if no problem was added.
 */
export type Reader<T> = (raw: unknown, place: string, problems: Invalid[]) => T;

export function report(problems: Invalid[], place: string, expected: string, found: unknown): void {
  problems.push({ place, expected, found: describeInvalid(found) });
}

/**
 * The place of a field inside a place: `spec` + `containers` is `spec.containers`. A prefix that ends in a space, such
 * as `Pod default/web-1: `, is set before the path as it is.
 */
export const fieldOf = (place: string, key: string): string =>
  place === '' || place.endsWith(' ') ? place + key : `${place}.${key}`;

const LONGEST_PLAIN_KEY = 63;

/** The place of an entry whose key users choose: `labels["app.kubernetes.io/name"]`. */
export const entryOf = (place: string, key: string): string =>
  key.length <= LONGEST_PLAIN_KEY && /^[\w-]+$/.test(key) ? fieldOf(place, key) : `${place}[${quoted(key)}]`;

export const itemOf = (place: string, index: number): string => `${place}[${index}]`;

const LONGEST_FOUND = 60;

/** Describes what was found, short enough for one line. */
export function describeInvalid(found: unknown): string {
  if (found === undefined || found === null) {
    return 'nothing';
  }
  if (typeof found === 'string') {
    return JSON.stringify(clip(found, LONGEST_FOUND + 1));
  }
  if (typeof found === 'object') {
    return Array.isArray(found) ? 'a list' : 'an object';
  }
  return typeof found === 'number' || typeof found === 'boolean' ? String(found) : `a ${typeof found}`;
}

/** The problem in one line: `spec.priority: expected an integer, found "high"`. */
export const explainInvalid = ({ place, expected, found }: Invalid): string =>
  `${place === '' ? '' : `${place}: `}expected ${expected}, found ${found}`;
