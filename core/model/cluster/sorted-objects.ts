import { byName } from '../values/names.ts';
import { rememberedOf } from '../values/remembered.ts';
import { sortedWith } from '../values/sorted.ts';
import { keyOf, type Pod } from './pod.ts';
import type { Controller } from './workloads.ts';

const byPodKey = (a: Pod, b: Pod): number =>
  a.namespace === b.namespace ? byName(a.name, b.name) : byName(keyOf(a), keyOf(b));

type ControllerName = Pick<Controller, 'kind' | 'namespace' | 'name'>;

const byControllerKey = (a: ControllerName, b: ControllerName): number =>
  a.kind === b.kind && a.namespace === b.namespace
    ? byName(a.name, b.name)
    : byName(`${a.kind}/${a.namespace}/${a.name}`, `${b.kind}/${b.namespace}/${b.name}`);

/**
 * Pods in ascending order of `namespace/name`, as `sortedBy`. Within a namespace only the names are compared: making
 * the keys of all pods would cost more than the comparisons.
 */
export const sortedPods = rememberedOf((pods: readonly Pod[]) => sortedWith(pods, byPodKey));

/** Controllers in ascending order of `kind/namespace/name`, in the same way. */
export const sortedControllers = rememberedOf((controllers: readonly Controller[]) =>
  sortedWith(controllers, byControllerKey),
);

/**
 * The place of a controller in a list that is in order: of the first one that does not come before it.
 *
 * @returns the list's length where all do.
 */
export function placeOfController(inOrder: readonly Controller[], name: ControllerName): number {
  let from = 0;
  let to = inOrder.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (byControllerKey(inOrder[middle]!, name) < 0) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  return from;
}
