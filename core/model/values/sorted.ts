import { byName } from './names.ts';

/**
 * The list in ascending order of `key`. A list that is in order already, as an API server or a store gives it, is
 * returned as it is: finding that out is far cheaper than sorting.
 */
export function sortedBy<T>(list: readonly T[], key: (item: T) => string): readonly T[] {
  if (list.length === 0) {
    return list;
  }
  const keys = list.map(key);
  if (keys.every((value, i) => i === 0 || keys[i - 1]! <= value)) {
    return list;
  }
  const order = keys.map((_, i) => i);
  order.sort((a, b) => byName(keys[a]!, keys[b]!));
  return order.map((i) => list[i]!);
}

/** The list in ascending order by `compare`; the same list where it is in order already. */
export function sortedWith<T>(list: readonly T[], compare: (a: T, b: T) => number): readonly T[] {
  for (let i = 1; i < list.length; i++) {
    if (compare(list[i - 1]!, list[i]!) > 0) {
      return list.toSorted(compare);
    }
  }
  return list;
}

/** Ascending, also of infinite numbers, whose difference is `NaN` where they are equal. */
export const byNumber = (a: number, b: number): number => (a === b ? 0 : a - b);

/** A record with its keys in ascending order, so that equal records print alike. */
export function sortedRecord<K extends string, V>(entries: Iterable<readonly [K, V]>): Readonly<Record<K, V>> {
  return Object.fromEntries([...entries].sort(([a], [b]) => byName(a, b))) as Record<K, V>;
}
