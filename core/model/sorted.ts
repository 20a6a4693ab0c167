import { byName } from './names.ts';
import { keyOf, type Pod } from './pod.ts';

/**
 * The list in ascending order of `key`. A list that is in order already, as an API server or a store gives it, is
 * returned as it is: finding that out is far cheaper than sorting.
 */
export function sortedBy<T>(list: readonly T[], key: (item: T) => string): readonly T[] {
  const keys = list.map(key);
  if (keys.every((value, i) => i === 0 || keys[i - 1]! <= value)) {
    return list;
  }
  const order = keys.map((_, i) => i);
  order.sort((a, b) => byName(keys[a]!, keys[b]!));
  return order.map((i) => list[i]!);
}

/**
 * Pods in ascending order of `namespace/name`, as `sortedBy`. Of pods there are so many that making their keys would cost
 * more than all comparisons: within a namespace the names alone decide.
 */
export function sortedPods(pods: readonly Pod[]): readonly Pod[] {
  for (let i = 1; i < pods.length; i++) {
    if (byKey(pods[i - 1]!, pods[i]!) > 0) {
      return pods.toSorted(byKey);
    }
  }
  return pods;
}

const byKey = (a: Pod, b: Pod): number =>
  a.namespace === b.namespace ? byName(a.name, b.name) : byName(keyOf(a), keyOf(b));

/** A record with its keys in ascending order, so that equal records print alike. */
export function sortedRecord<K extends string, V>(entries: Iterable<readonly [K, V]>): Readonly<Record<K, V>> {
  return Object.fromEntries([...entries].sort(([a], [b]) => byName(a, b))) as Record<K, V>;
}
