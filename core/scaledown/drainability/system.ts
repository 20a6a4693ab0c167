import { addTime, formatTime } from '../../model/time.ts';
import type { DrainRule } from './drainability.ts';
import { block } from './outcome.ts';

/**
 * Pods of the system are often single and always missed. A PodDisruptionBudget says how they may be moved; without one
 * they keep their node for `blockingSystemPodDistruptionTimeout` from their creation. One whose age is not known counts
 * as new.
 */
export const system: DrainRule = (pod, { options, now, budgets }) => {
  if (pod.namespace !== 'kube-system' || !options.skipNodesWithSystemPods || budgets.covers(pod)) {
    return null;
  }
  if (pod.createdAt === null) {
    return block('UnmovableKubeSystemPod', 'it is of kube-system, and no PodDisruptionBudget covers it');
  }
  const until = addTime(pod.createdAt, options.blockingSystemPodDistruptionTimeout);
  return now < until
    ? block(
        'UnmovableKubeSystemPod',
        `it is of kube-system, no PodDisruptionBudget covers it, and it keeps its node until ${formatTime(until)}`,
      )
    : null;
};
