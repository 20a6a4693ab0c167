import { addTime, seconds } from '../../model/time.ts';
import type { DrainRule } from './drainability.ts';
import { SKIP } from './outcome.ts';

const EXTRA = seconds(30);

/**
 * A pod whose deletion is overdue is stuck, on a kubelet that is gone for instance, and is as good as deleted.
 *
 * The time of deletion that the API server writes has the grace period in it already. That it is added once more is
 * Cluster Autoscaler's `IsPodLongTerminating`, and leaves the pod alone for longer.
 */
export const longTerminating: DrainRule = (pod, { now }) => {
  if (pod.deletedAt === null) {
    return null;
  }
  const grace = seconds(pod.spec.terminationGracePeriodSeconds);
  return addTime(addTime(pod.deletedAt, grace), EXTRA) < now ? SKIP : null;
};
