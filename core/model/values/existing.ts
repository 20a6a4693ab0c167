import { valueOf } from './records.ts';

/** The value of a key that the map is known to have. @throws RangeError that names the key, if it is missing */
export function getExisting<K, V>(map: ReadonlyMap<K, V>, key: K): Exclude<V, undefined> {
  return existing(map.get(key), key);
}

/** The item at an index that the list is known to have. @throws RangeError that names the index, if it is missing */
export function itemAt<T>(list: ArrayLike<T>, index: number): Exclude<T, undefined> {
  return existing(list[index], index);
}

/** The value of a name that the record is known to have of its own. @throws RangeError that names it, if it is missing */
export const getOwn = <K extends string, T>(record: Readonly<Record<K, T>>, name: K): Exclude<T, undefined> =>
  existing(valueOf(record, name), name);

/** A value that is known to be there. @throws RangeError with the words for what is missing */
export function required<T>(value: T, what: string): NonNullable<T> {
  if (value === undefined || value === null) {
    throw new RangeError(`nothing for ${what}`);
  }
  return value;
}

/** @throws RangeError for an empty list */
export const firstItem = <T>(list: ArrayLike<T>): Exclude<T, undefined> => itemAt(list, 0);

/** @throws RangeError for an empty list */
export const lastItem = <T>(list: ArrayLike<T>): Exclude<T, undefined> => itemAt(list, list.length - 1);

/** The text up to a separator: `eu-west-1a` of `eu-west-1a/i-1` before `/`; the whole text if it has no separator. */
export function textBefore(text: string, separator: string): string {
  const end = text.indexOf(separator);
  return end === -1 ? text : text.slice(0, end);
}

function existing<T>(value: T, key: unknown): Exclude<T, undefined> {
  if (value === undefined) {
    throw new RangeError(`nothing at ${String(key)}`);
  }
  return value as Exclude<T, undefined>;
}
