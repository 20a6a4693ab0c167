import type { NodeName } from '../model/values/names.ts';
import { isFinished, type Pod } from '../model/cluster/pod.ts';
import type { ClusterObjects } from '../model/scenario.ts';

/** The pods that run on each node, or are about to; finished ones take no room. Nodes without any are left out. */
export function boundPods({ pods }: Pick<ClusterObjects, 'pods'>): ReadonlyMap<NodeName, readonly Pod[]> {
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
}
