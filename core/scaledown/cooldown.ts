import { valueOf } from '../model/values/records.ts';
import type { NodeGroup } from '../model/node-group.ts';
import type { GroupName } from '../model/values/names.ts';
import type { Scenario } from '../model/scenario.ts';
import { type GroupTimes, NO_GROUP_TIMES, type State } from '../model/state.ts';
import { mapOptional } from '../model/values/optional.ts';
import { addTime, type DurationMs, durationMs, type EpochMs, notAfter } from '../model/values/time.ts';
import { NODE_MESSAGES } from '../words/node-messages.ts';
import { isLearned, unneededTimeOf } from './unneeded-time.ts';

/** Why nothing may be removed yet, in words; `null` where something may. */
export interface Cooldown {
  /** Holds for all groups. */
  readonly whole: string | null;
  /** Holds for single groups, beyond `whole`. */
  readonly groups: ReadonlyMap<GroupName, string | null>;
}

/**
 * The time after a scale-up, a removal or a failed removal in which no other removal begins: of the whole cluster, or
 * with `scaleDownDelayTypeLocal` of each group. What grows in this very evaluation does not shrink in it, whatever the
 * delays are.
 *
 * Follows `isScaleDownInCooldown` of Cluster Autoscaler's static_autoscaler.go, and its
 * ScaleDownCandidatesDelayProcessor. The latter has the clocks of unneeded nodes stand still meanwhile; here they go on,
 * as they do in a cool-down of the whole cluster.
 *
 * @param state as the scale-up decision leaves it.
 */
export function cooldownOf(
  scenario: Pick<Scenario, 'options' | 'now' | 'nodeGroups' | 'state'>,
  state: State,
): Cooldown {
  const { options, nodeGroups, now } = scenario;
  const delayOf = (group: NodeGroup): DurationMs =>
    isLearned(scenario, group)
      ? durationMs(Math.min(options.scaleDownDelayAfterAdd, unneededTimeOf(scenario, group)))
      : options.scaleDownDelayAfterAdd;
  const ofGroups = (reason: (group: NodeGroup) => string | null): Cooldown['groups'] =>
    new Map(nodeGroups.map((group) => [group.name, reason(group)]));
  if (options.scaleDownDelayTypeLocal) {
    const groups = ofGroups((group) => reasonOf(valueOf(state.groups, group.name) ?? NO_GROUP_TIMES, delayOf(group)));
    return { whole: null, groups };
  }
  if (nodeGroups.some((group) => isLearned(scenario, group))) {
    const groups = ofGroups((group) => recent(state.lastScaleUp, delayOf(group), 'scaleDownDelayAfterAdd', now));
    return { whole: reasonOf(state, durationMs(0)), groups };
  }
  return { whole: reasonOf(state, options.scaleDownDelayAfterAdd), groups: new Map() };

  function reasonOf(
    { lastScaleUp, lastScaleDownDelete, lastScaleDownFailure }: GroupTimes,
    delayAfterAdd: DurationMs,
  ): string | null {
    if (lastScaleUp === now) {
      return NODE_MESSAGES.nodesAdded();
    }
    return (
      recent(lastScaleUp, delayAfterAdd, 'scaleDownDelayAfterAdd', now) ??
      recent(lastScaleDownFailure, options.scaleDownDelayAfterFailure, 'scaleDownDelayAfterFailure', now) ??
      recent(lastScaleDownDelete, options.scaleDownDelayAfterDelete, 'scaleDownDelayAfterDelete', now)
    );
  }
}

function recent(last: EpochMs | null, delay: DurationMs, name: string, now: EpochMs): string | null {
  const until = mapOptional(last, (began) => addTime(notAfter(began, now), delay));
  if (until === null || until <= now) {
    return null;
  }
  return NODE_MESSAGES.delayLeft(name, durationMs(until - now), delay);
}
