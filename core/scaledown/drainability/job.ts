import type { Options } from '../../model/options.ts';
import type { Pod } from '../../model/cluster/pod.ts';
import { type DurationMs, type EpochMs, formatDuration } from '../../model/values/time.ts';
import { mapOptional } from '../../model/values/optional.ts';
import { ruleFor, WAIT } from './outcome.ts';

/**
 * An evicted pod of a Job begins anew, and its work is lost: after more than `jobProtectionAge` the pod keeps its node
 * until it has ended. The node may be unneeded meanwhile, so that new pods avoid it and it is removed as soon as the
 * pod has ended. Cluster Autoscaler has no such rule. A pod with an annotation that it is safe to evict may be evicted
 * (`safeToEvict` comes before).
 */
export const job = ruleFor('job', WAIT, (pod, { options, now }) => protectedAge(pod, options, now) !== null);

/** Why the pod's node waits for it, in words; `null` where it does for another reason. */
export const jobMessage = (pod: Pod, options: Options, now: EpochMs): string | null =>
  mapOptional(
    protectedAge(pod, options, now),
    (age) =>
      `its Job ${pod.controller!.name} would start again from the beginning: it has run for ${formatDuration(age)}, longer than jobProtectionAge (${formatDuration(options.jobProtectionAge)})`,
  );

/** For how long the protected pod has run; `null` where it is not protected. */
function protectedAge(
  { controller, startedAt, deletedAt }: Pod,
  { jobProtectionAge }: Options,
  now: EpochMs,
): DurationMs | null {
  if (jobProtectionAge <= 0 || controller?.kind !== 'Job' || startedAt === null || deletedAt !== null) {
    return null;
  }
  const age = (now - startedAt) as DurationMs;
  return age > jobProtectionAge ? age : null;
}
