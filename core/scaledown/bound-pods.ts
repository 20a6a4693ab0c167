import type { NodeName } from '../model/names.ts';
import type { Pod } from '../model/pod.ts';
import type { ClusterObjects } from '../model/scenario.ts';
import { homeOf } from '../scheduling/cluster-snapshot.ts';

/** What a node holds of the pods that are in the cluster. */
export interface BoundPods {
  /** Those that run on it, or are about to. Finished ones hold nothing. */
  readonly pods: readonly Pod[];
  /** How many take room on it: those, and pods that wait for a preemption there. */
  readonly counted: number;
}

export const NO_PODS: BoundPods = Object.freeze({ pods: [], counted: 0 });

/** By node; nodes without any are left out. */
export function boundPods({ pods }: Pick<ClusterObjects, 'pods'>): ReadonlyMap<NodeName, BoundPods> {
  const byNode = new Map<NodeName, { readonly pods: Pod[]; counted: number }>();
  for (const pod of pods) {
    const home = homeOf(pod);
    if (home === null) {
      continue;
    }
    let bound = byNode.get(home);
    if (bound === undefined) {
      bound = { pods: [], counted: 0 };
      byNode.set(home, bound);
    }
    bound.counted += 1;
    if (pod.nodeName !== null) {
      bound.pods.push(pod);
    }
  }
  return byNode;
}
