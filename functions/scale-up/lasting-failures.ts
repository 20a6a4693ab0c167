import type { ClusterName, GroupName } from '../../core/model/names.ts';
import type { FailureClass } from '../../core/model/node-group.ts';
import type { Backoff, State } from '../../core/model/state.ts';
import { type EpochMs, formatTime } from '../../core/model/time.ts';
import { LASTING } from '../../core/registry/backoff.ts';
import type { World } from '../shared/world.ts';

/** What somebody has to look at, by the class of the failure. */
const ADVICE: Readonly<Partial<Record<FailureClass, string>>> = {
  Configuration: 'its launch template, image, key, security groups or subnets are wrong or gone',
  Authorisation: 'a role, a policy or a key forbids its launches',
};

/**
 * Raises the alarm about groups that no waiting mends: they are set up wrongly, or may not be used. The metric holds as
 * long as such a group is left alone; the log says so once for each failure.
 *
 * @param before what was persisted, `after` what is decided now.
 */
export function reportLastingFailures(
  { log, metrics }: Pick<World, 'log' | 'metrics'>,
  cluster: ClusterName,
  before: State['backoff'],
  after: State['backoff'],
  now: EpochMs,
): void {
  const broken = (Object.entries(after) as [GroupName, Backoff][]).filter(
    ([, { class: failure, until }]) => LASTING.includes(failure) && until > now,
  );
  metrics.count('GroupsToCorrect', broken.length);
  for (const [group, { class: failure, until, lastFailure }] of broken) {
    if (before[group]?.lastFailure !== lastFailure) {
      log.error(
        `${cluster}: ${group} cannot launch machines (${failure}): ${ADVICE[failure]}; its scaling activities have AWS' ` +
          `own words. It is left alone until ${formatTime(until)}`,
        { group, class: failure, until },
      );
    }
  }
}
