import { getOrMake } from './get-or-make.ts';

/** Adds to the count of a key; a key without a count has 0. @returns the counts. */
export const addCount = <K>(counts: Map<K, number>, key: K, count = 1): Map<K, number> =>
  counts.set(key, (counts.get(key) ?? 0) + count);

/** Number of items by key, in the order in which the keys are first seen. */
export function countBy<T, K>(
  items: Iterable<T>,
  keyOf: (item: T) => K,
  countOf: (item: T) => number = () => 1,
): Map<K, number> {
  const counts = new Map<K, number>();
  for (const item of items) {
    addCount(counts, keyOf(item), countOf(item));
  }
  return counts;
}

/** The map of this key in a map of maps, put there if it is missing. */
export const mapAt = <K, L, V>(maps: Map<K, Map<L, V>>, key: K): Map<L, V> => getOrMake(maps, key, () => new Map());
