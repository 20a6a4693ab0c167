import { rememberedOf } from '../values/remembered.ts';
import type { Pod } from './pod.ts';

/** The pods without a node, in the order of the list. Nearly all pods of a cluster have one: it is gone through once. */
export const unboundPods = rememberedOf((pods: readonly Pod[]): readonly Pod[] => {
  const unbound: Pod[] = [];
  for (const pod of pods) {
    if (pod.nodeName === null) {
      unbound.push(pod);
    }
  }
  return unbound;
});
