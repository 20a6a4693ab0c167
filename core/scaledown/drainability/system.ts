import { addTime, formatTime } from '../../model/values/time.ts';
import type { DrainRule } from './rule.ts';
import { block, DRAIN_OK } from './outcome.ts';
import { isNotSafeToEvict } from './safe-to-evict.ts';

/**
 * Pods of the system are often single and always missed. A PodDisruptionBudget says how such pods may be moved; without
 * a budget a pod keeps its node until `blockingSystemPodDistruptionTimeout` after its creation, the last moment
 * included. A pod of unknown age counts as new.
 *
 * After that time the pod may be evicted, whatever is on the node's own disk, as in Cluster Autoscaler. Unlike there
 * `safe-to-evict: "false"` still keeps the pod: the annotation was written for this very pod.
 */
export const system: DrainRule = {
  name: 'system',
  decide: (pod, { options, now, pdbs }) => {
    if (pod.namespace !== 'kube-system' || !options.skipNodesWithSystemPods || pdbs.covers(pod)) {
      return null;
    }
    if (pod.createdAt === null) {
      return block('UnmovableKubeSystemPod', 'it is of kube-system, and no PodDisruptionBudget covers it');
    }
    const until = addTime(pod.createdAt, options.blockingSystemPodDistruptionTimeout);
    if (now <= until) {
      return block(
        'UnmovableKubeSystemPod',
        `it is of kube-system, no PodDisruptionBudget covers it, and it keeps its node until ${formatTime(until)}`,
      );
    }
    return isNotSafeToEvict(pod) ? null : DRAIN_OK;
  },
};
