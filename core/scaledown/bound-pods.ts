import type { NodeName } from '../model/values/names.ts';
import { isFinished, type Pod } from '../model/cluster/pod.ts';
import { rememberedOf } from '../model/values/remembered.ts';
import { getOrMake } from '../model/values/get-or-make.ts';

/** The pods that run on each node, or are about to; finished ones take no room. Nodes without any are left out. */
export const boundPods = rememberedOf((pods: readonly Pod[]): ReadonlyMap<NodeName, readonly Pod[]> => {
  const byNode = new Map<NodeName, Pod[]>();
  for (const pod of pods) {
    if (pod.nodeName !== null && !isFinished(pod)) {
      getOrMake(byNode, pod.nodeName, () => []).push(pod);
    }
  }
  return byNode;
});
