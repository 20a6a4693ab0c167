import { byName } from './names.ts';
import { keyOf, type Pod } from './pod.ts';
import type { Controller } from './workloads.ts';

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
export const sortedPods = (pods: readonly Pod[]): readonly Pod[] => sortedWith(pods, byPodKey);

/** Controllers in ascending order of `kind/namespace/name`, in the same way. */
export const sortedControllers = (controllers: readonly Controller[]): readonly Controller[] =>
  sortedWith(controllers, byControllerKey);

function sortedWith<T>(list: readonly T[], compare: (a: T, b: T) => number): readonly T[] {
  for (let i = 1; i < list.length; i++) {
    if (compare(list[i - 1]!, list[i]!) > 0) {
      return list.toSorted(compare);
    }
  }
  return list;
}

const byPodKey = (a: Pod, b: Pod): number =>
  a.namespace === b.namespace ? byName(a.name, b.name) : byName(keyOf(a), keyOf(b));

const byControllerKey = (a: Controller, b: Controller): number =>
  a.kind === b.kind && a.namespace === b.namespace
    ? byName(a.name, b.name)
    : byName(`${a.kind}/${a.namespace}/${a.name}`, `${b.kind}/${b.namespace}/${b.name}`);

/** A record with its keys in ascending order, so that equal records print alike. */
export function sortedRecord<K extends string, V>(entries: Iterable<readonly [K, V]>): Readonly<Record<K, V>> {
  return Object.fromEntries([...entries].sort(([a], [b]) => byName(a, b))) as Record<K, V>;
}
