import type { State } from '@outrigger/core/model/state.ts';
import { type EpochMs, formatTime } from '@outrigger/core/model/values/time.ts';
import { lastingFailures } from '@outrigger/core/registry/backoff.ts';
import { whyLaunchFailed } from '@outrigger/core/words/why-launch-failed.ts';
import type { ClusterRun } from '../shared/world.ts';

/** Raises the alarm about groups that no waiting mends: the metric holds as long as such a group is left alone; the log says so once for each failure. */
export function reportLastingFailures(
  { world: { log, metrics }, cluster }: ClusterRun,
  before: State['backoff'],
  after: State['backoff'],
  now: EpochMs,
): void {
  const broken = lastingFailures(before, after, now);
  metrics.count('GroupsToCorrect', broken.length);
  metrics.count('NeedsCorrection', broken.length);
  for (const { group, class: failure, until } of broken.filter(({ isNew }) => isNew)) {
    log.error(
      `${cluster.name}: node group ${group} cannot launch instances (${failure}). ${whyLaunchFailed(failure)} ` +
        `The message is in the scaling activities of the Auto Scaling group, or in the status of the resource of Cluster API. It is not considered until ${formatTime(until)}`,
      { group, class: failure, until },
    );
  }
}
