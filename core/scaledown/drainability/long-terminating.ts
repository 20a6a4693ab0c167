import type { Pod } from '../../model/cluster/pod.ts';
import { addTime, type EpochMs, seconds } from '../../model/values/time.ts';
import { ruleFor, SKIP } from './outcome.ts';

const EXTRA = seconds(30);

/**
 * A pod whose deletion is overdue is stuck, on a kubelet that is gone for instance, and is as good as deleted.
 *
 * The time of deletion that the API server writes has the grace period in it already. That it is added once more is
 * Cluster Autoscaler's `IsPodLongTerminating`, and leaves the pod alone for longer.
 */
export const longTerminating = ruleFor('longTerminating', SKIP, (pod, { now }) => isLongTerminating(pod, now));

/** Should this pod have ended some time ago? */
export const isLongTerminating = ({ deletedAt, spec }: Pod, now: EpochMs): boolean =>
  deletedAt !== null && addTime(addTime(deletedAt, seconds(spec.terminationGracePeriodSeconds)), EXTRA) < now;
