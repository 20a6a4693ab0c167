import type { NodeName } from '../model/values/names.ts';
import { isFinished, type Pod } from '../model/cluster/pod.ts';
import { rememberedOf } from '../model/values/remembered.ts';
import type { ClusterObjects } from '../model/scenario.ts';

/** The pods that run on each node, or are about to; finished ones take no room. Nodes without any are left out. */
export const boundPods = ({ pods }: Pick<ClusterObjects, 'pods'>): ReadonlyMap<NodeName, readonly Pod[]> =>
  byNodeOf(pods);

const byNodeOf = rememberedOf((pods: readonly Pod[]) => {
  const byNode = new Map<NodeName, Pod[]>();
  for (const pod of pods) {
    if (pod.nodeName === null || isFinished(pod)) {
      continue;
    }
    const bound = byNode.get(pod.nodeName);
    if (bound === undefined) {
      byNode.set(pod.nodeName, [pod]);
    } else {
      bound.push(pod);
    }
  }
  return byNode;
});
