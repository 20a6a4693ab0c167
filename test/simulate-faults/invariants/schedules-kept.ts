import { epochMs, type EpochMs, minutes } from '../../../core/model/values/time.ts';
import type { GroupName } from '../../../core/model/values/names.ts';
import { leastOf, windowOf } from '../drawn-schedules.ts';
import { mayBeBackedOff } from '../failed-launches.ts';
import { mayGrow } from '../limits.ts';
import { watchQuiet } from '../quiet-pools.ts';
import { lookEvery } from '../truth.ts';
import type { Invariant } from './invariant.ts';

/** Nodes are requested by the evaluations of so long, from the begin of a schedule or of quiet. */
const LONGEST = minutes(3);
/** A clock that is off, a read that is old: a removal may have been decided for a time so far away. */
const UNSURE = minutes(2);

/**
 * While a capacity schedule is in force, each group has at least the size that it asks for: three minutes after the begin, and after
 * others or faults have left the group alone. No removal that is decided then leaves a group less.
 */
export const schedulesKept: Invariant = {
  name: 'groups have what capacity schedules ask for',
  assumes: ['lag', 'skew'],
  watch: (stage, violate, count) => {
    const { scenario, world } = stage;
    const { clock, scaling, onEvent } = world;
    const [schedule] = scenario.options.capacitySchedules;
    if (schedule === undefined) {
      return {};
    }
    const { from, until } = windowOf(schedule, scenario);
    const quietSince = watchQuiet(stage, false);
    const changedAt = new Map<GroupName, EpochMs>();
    onEvent((event) => {
      if ('group' in event && event.kind !== 'SizeSet' && event.kind !== 'NodeReady') {
        changedAt.set(event.group, event.at);
      }
    });
    let closedAt = 0;
    const look = (): void => {
      const now = clock.now();
      for (const view of scaling.groups()) {
        const { group, desired } = view;
        const pool = scenario.pools.find(({ groups }) => groups.includes(group.name))!;
        const least = leastOf(schedule, group);
        const isOpen = view.error === null && view.paused !== true && view.untagged !== true;
        const mayHaveMore = isOpen && (desired >= least || mayGrow(view, world, scenario.options));
        closedAt = mayHaveMore ? closedAt : now;
        const quiet = now - Math.max(from - minutes(1), quietSince(pool), closedAt);
        const isAlone = quiet > LONGEST && !mayBeBackedOff(stage, now);
        const isArmed = isAlone && now - stage.strikes.troubledUntil() > LONGEST;
        if (isAlone) {
          count(isArmed);
        }
        if (isArmed && desired < least) {
          violate(
            `${group.name} has a size of ${desired}, and ${least} by a schedule that is in force since ${(now - from) / 1_000} s`,
          );
        }
      }
    };
    lookEvery(minutes(0.5), world, from, until, look);
    return {
      decided: (_seen, decision) => {
        const now = clock.now();
        if (now < from + UNSURE || now > until - UNSURE) {
          return;
        }
        for (const { group, desired } of scaling.groups()) {
          const { name } = group;
          const going = decision.scaleDown.removals.filter(
            ({ group: of, reason }) => of === name && reason === undefined,
          ).length;
          const least = leastOf(schedule, group);
          if (going > 0 && desired - going < least && now - (changedAt.get(name) ?? epochMs(0)) > UNSURE) {
            violate(
              `${going} nodes of ${name} are to be removed of ${desired}, and ${least} are asked for by a schedule`,
            );
          }
        }
      },
    };
  },
};
