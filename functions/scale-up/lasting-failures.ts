import type { ClusterName } from '../../core/model/names.ts';
import type { State } from '../../core/model/state.ts';
import { type EpochMs, formatTime } from '../../core/model/time.ts';
import { lastingFailures } from '../../core/registry/lasting-failures.ts';
import type { World } from '../shared/world.ts';

/** Raises the alarm about groups that no waiting mends: the metric holds as long as such a group is left alone; the log says so once for each failure. */
export function reportLastingFailures(
  { log, metrics }: Pick<World, 'log' | 'metrics'>,
  cluster: ClusterName,
  before: State['backoff'],
  after: State['backoff'],
  now: EpochMs,
): void {
  const broken = lastingFailures(before, after, now);
  metrics.count('GroupsToCorrect', broken.length);
  for (const { group, class: failure, until, advice } of broken.filter(({ isNew }) => isNew)) {
    log.error(
      `${cluster}: ${group} cannot launch instances (${failure}): ${advice}; its scaling activities have AWS' own ` +
        `words. It is left alone until ${formatTime(until)}`,
      { group, class: failure, until },
    );
  }
}
