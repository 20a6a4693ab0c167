import { type DurationMs, formatDuration } from '../../model/values/time.ts';
import type { DrainRule } from './rule.ts';
import { block } from './outcome.ts';

/**
 * The pod of a Job begins anew where it is evicted, and what it has done is lost: one that has run for longer than
 * `jobProtectionAge` keeps its node until it is done. Cluster Autoscaler has no such rule. A pod that says of itself that
 * it is safe to evict is (`safeToEvict` comes before).
 */
export const job: DrainRule = {
  name: 'job',
  decide: ({ controller, startedAt, deletedAt }, { options: { jobProtectionAge }, now }) => {
    if (jobProtectionAge <= 0 || controller?.kind !== 'Job' || startedAt === null || deletedAt !== null) {
      return null;
    }
    const age = (now - startedAt) as DurationMs;
    return age > jobProtectionAge
      ? block(
          'JobRunning',
          `its Job ${controller.name} would begin anew: it has run for ${formatDuration(age)}, longer than jobProtectionAge (${formatDuration(jobProtectionAge)})`,
        )
      : null;
  },
};
