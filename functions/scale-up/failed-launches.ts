import type { Scenario } from '@outrigger/core/model/scenario.ts';
import type { State } from '@outrigger/core/model/state.ts';
import { clip } from '@outrigger/core/model/values/clip.ts';
import { formatTime } from '@outrigger/core/model/values/time.ts';
import { lastingFailures, newFailures } from '@outrigger/core/registry/backoff.ts';
import { whyLaunchFailed } from '@outrigger/core/words/why-launch-failed.ts';
import type { ClusterRun } from '../shared/services.ts';

/**
 * Logs launches that failed since, once and in the cloud's words, which name the limit, the zones with capacity or the missing image.
 * Raises the alarm about groups that no waiting mends: the metric holds as long as such a group is left alone.
 */
export function reportFailedLaunches(
  { services: { log, metrics }, cluster }: ClusterRun,
  before: State['backoff'],
  after: State['backoff'],
  { nodeGroups, now }: Pick<Scenario, 'nodeGroups' | 'now'>,
): void {
  for (const failure of newFailures(before, after, nodeGroups)) {
    log.info(`${cluster.name}: launches of node group ${failure.group} have failed: ${clip(failure.message)}`, failure);
  }
  const broken = lastingFailures(before, after, now);
  metrics.count('GroupsToCorrect', broken.length);
  metrics.count('NeedsCorrection', broken.length);
  for (const { group, class: why, until } of broken.filter(({ isNew }) => isNew)) {
    const text = `node group ${group} cannot launch instances (${why}) until ${formatTime(until)}. ${whyLaunchFailed(why)}`;
    log.error(`${cluster.name}: ${text}`, { group, class: why, until });
  }
}
