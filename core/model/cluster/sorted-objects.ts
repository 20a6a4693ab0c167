import { byName } from '../values/names.ts';
import { rememberedOf } from '../values/remembered.ts';
import { sortedWith } from '../values/sorted.ts';
import { keyOf, type Pod } from './pod.ts';
import type { Controller } from './workloads.ts';

const byPodKey = (a: Pod, b: Pod): number =>
  a.namespace === b.namespace ? byName(a.name, b.name) : byName(keyOf(a), keyOf(b));

const byControllerKey = (a: Controller, b: Controller): number =>
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
