import { itemAt } from '../values/existing.ts';
import { byName } from '../values/names.ts';
import { presentItems } from '../values/optional.ts';
import { rememberedOf } from '../values/remembered.ts';
import { sortedBy, sortedWith } from '../values/sorted.ts';
import type { Node } from './node.ts';
import { keyOf, type Pod } from './pod.ts';
import type { Controller } from './workloads.ts';

const byPodKey = (a: Pod, b: Pod): number =>
  a.namespace === b.namespace ? byName(a.name, b.name) : byName(keyOf(a), keyOf(b));

type ControllerName = Pick<Controller, 'kind' | 'namespace' | 'name'>;

function byControllerKey(a: ControllerName, b: ControllerName): number {
  if (a.kind === b.kind && a.namespace === b.namespace) {
    return byName(a.name, b.name);
  }
  return byName(`${a.kind}/${a.namespace}/${a.name}`, `${b.kind}/${b.namespace}/${b.name}`);
}

/**
 * Pods in ascending order of `namespace/name`, as `sortedBy`. Within a namespace only the names are compared: making
 * the keys of all pods would cost more than the comparisons.
 */
export const sortedPods = (pods: readonly Pod[]): readonly Pod[] => (inOrder.has(pods) ? pods : podsSortedOnce(pods));

/** Lists that were in order when they were made. */
const inOrder = new WeakSet<readonly object[]>();

const podsSortedOnce = rememberedOf((pods: readonly Pod[]) => sortedWith(pods, byPodKey));

/**
 * A list after some of its pods have changed, come or gone; the new list is known to be in order.
 *
 * @param list in order.
 * @param changed any version of each of these pods.
 * @param now the present version; `undefined`: the pod is gone.
 */
export function withChangedPods(
  list: readonly Pod[],
  changed: Iterable<Pod>,
  now: (pod: Pod) => Pod | undefined,
): readonly Pod[] {
  const next = [...list];
  for (const pod of changed) {
    const place = placeIn(next, pod, byPodKey);
    const other = next[place];
    const isListed = other?.name === pod.name && other.namespace === pod.namespace;
    next.splice(place, Number(isListed), ...presentItems([now(pod)]));
  }
  inOrder.add(next);
  return next;
}

/** Nodes in ascending order of their names. */
export const sortedNodes = rememberedOf((nodes: readonly Node[]) => sortedBy(nodes, ({ name }) => name));

/** Controllers in ascending order of `kind/namespace/name`, in the same way. */
export const sortedControllers = (controllers: readonly Controller[]): readonly Controller[] =>
  inOrder.has(controllers) ? controllers : sortedOnce(controllers);

const sortedOnce = rememberedOf((controllers: readonly Controller[]) => sortedWith(controllers, byControllerKey));

/**
 * The place of a controller in a list that is in order: the index of the first controller that does not sort before it.
 *
 * @returns the list's length where all do.
 */
export const placeOfController = (list: readonly Controller[], name: ControllerName): number =>
  placeIn<ControllerName>(list, name, byControllerKey);

/** The index of the first item that does not sort before the given one. */
function placeIn<T>(list: readonly T[], item: T, compare: (a: T, b: T) => number): number {
  let from = 0;
  let to = list.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (compare(itemAt(list, middle), item) < 0) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  return from;
}

/**
 * A list with the controller added, or put in the place of the controller with its UID; the new list is known to be in
 * order.
 *
 * @param list in order.
 */
export function withController(list: readonly Controller[], controller: Controller): readonly Controller[] {
  const { kind, namespace, name, uid } = controller;
  let place = placeOfController(list, controller);
  for (; place < list.length && itemAt(list, place).uid !== uid; place++) {
    const other = itemAt(list, place);
    // Several controllers may have the name: a deleted one beside its successor.
    if (other.name !== name || other.namespace !== namespace || other.kind !== kind) {
      break;
    }
  }
  const next = list.toSpliced(place, list[place]?.uid === uid ? 1 : 0, controller);
  inOrder.add(next);
  return next;
}
