import type { Pod } from '../../model/cluster/pod.ts';
import { podRequests } from '../../model/cluster/pod-requests.ts';
import { CPU } from '../../model/values/resources.ts';
import type { DurationMs, EpochMs } from '../../model/values/time.ts';

/** How long the pod of a Job has worked: what is lost when it is evicted. 0 for all others: they keep no work. */
export const workTimeOf = ({ controller, startedAt, phase }: Pod, now: EpochMs): DurationMs =>
  (controller?.kind === 'Job' && phase === 'Running' && startedAt !== null
    ? Math.max(0, now - startedAt)
    : 0) as DurationMs;

/** The work that is lost when these pods are evicted, in core-seconds. */
export const workAtRisk = (pods: readonly Pod[], now: EpochMs): number =>
  Math.round(
    pods.reduce((sum, pod) => sum + ((podRequests(pod)[CPU] ?? 0) / 1_000) * (workTimeOf(pod, now) / 1_000), 0),
  );
