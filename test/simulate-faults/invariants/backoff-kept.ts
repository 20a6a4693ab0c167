import type { State } from '../../../core/model/state.ts';
import type { GroupName } from '../../../core/model/values/names.ts';
import { type EpochMs, minutes } from '../../../core/model/values/time.ts';
import { MAX_SKEW_MS } from '../runtime.ts';
import type { Invariant } from './invariant.ts';

/** `initialNodeGroupBackoffDuration`, by clocks that may be off. */
const LEFT_ALONE_MS = minutes(5) - 2 * MAX_SKEW_MS;
/** A launch that fails so soon after an increase is one of it, unless the group replaces an instance that has ended since. */
const OF_INCREASE_MS = minutes(1);

/**
 * After an increase whose launch has failed the group is left alone: for five minutes after an evaluation has read of the
 * failure, none decides to raise it above its minimum. Failures are those of the cloud, whatever the functions remember.
 */
export const backoffKept: Invariant = {
  name: 'a group is left alone after a failed launch',
  on: ['aws'],
  assumes: ['lag', 'skew'],
  watch: ({ scenario, world: { clock }, forgottenAt }, violate, count) => {
    const raisedAt = new Map<GroupName, EpochMs>();
    const failedAt = new Map<GroupName, EpochMs>();
    /** When an evaluation that was stored had read of the failure. */
    const readAt = new Map<GroupName, EpochMs>();
    const reading = new WeakMap<State, readonly GroupName[]>();
    return {
      event: (event) => {
        if (event.kind === 'SizeSet' && event.to > event.from) {
          raisedAt.set(event.group, event.at);
        }
        if (event.kind === 'InstanceStopping') {
          raisedAt.delete(event.group);
        }
        if (event.kind === 'LaunchFailed' && event.at - (raisedAt.get(event.group) ?? 0) < OF_INCREASE_MS) {
          failedAt.set(event.group, event.at);
        }
        if (event.kind === 'InstanceLaunched' || event.kind === 'GroupDeleted' || event.kind === 'SizeSetElsewhere') {
          failedAt.delete(event.group);
        }
      },
      decided: ({ now, nodeGroups }, decision) => {
        const failed = nodeGroups.flatMap(({ name, launchFailures }) =>
          launchFailures.length > 0 && failedAt.has(name) && failedAt.get(name)! < now ? name : [],
        );
        if (decision.evaluation !== 'ScaleDown') {
          reading.set(decision.state, failed);
        }
      },
      committed: ({ state, intents }) => {
        const now = clock.now();
        for (const [group, at] of readAt) {
          if (now - at >= LEFT_ALONE_MS) {
            continue;
          }
          const isArmed = at > forgottenAt() && scenario.options.capacitySchedules.length === 0;
          count(isArmed);
          const least = scenario.groups.find(({ name }) => name === group)!.minSize;
          const increase = intents.find(
            (one) => one.kind === 'SetSize' && one.group === group && one.to > one.from && one.from >= least,
          );
          if (isArmed && increase?.kind === 'SetSize') {
            violate(
              `${increase.id} raises ${group} from ${increase.from} to ${increase.to}, ${(now - at) / 1_000} s after an ` +
                `evaluation had read of its failed launch`,
            );
          }
        }
        for (const group of reading.get(state) ?? []) {
          if ((readAt.get(group) ?? 0) < failedAt.get(group)!) {
            readAt.set(group, now);
          }
        }
      },
    };
  },
};
