import type { GroupName } from '../../../core/model/values/names.ts';
import { addTime, type EpochMs, epochMs, minutes } from '../../../core/model/values/time.ts';
import type { GroupView } from '../../../providers/simulated/auto-scaling.ts';
import { leastOf, type Window, windowOf } from '../drawn-schedules.ts';
import { mayGrow } from '../limits.ts';
import { isNodeReady } from '../../../providers/simulated/node-readiness.ts';
import type { Invariant } from './invariant.ts';

/** Nodes are asked for by the evaluations of so long. */
const LONGEST = minutes(3);
/** A clock that is off, a read that is old: a removal may have been decided for a time so far away. */
const UNSURE = minutes(2);

/**
 * While a capacity schedule is in force, each group is to have what it asks for, three minutes after the last trouble at the
 * latest; and no removal that is decided then leaves it less.
 */
export const schedulesKept: Invariant = {
  name: 'groups have what capacity schedules ask for',
  assumes: ['lag', 'skew'],
  watch: ({ scenario, world, strikes, remembered }, violate, judge) => {
    const { clock, scaling, api, onEvent } = world;
    const { options } = scenario;
    const [schedule] = options.capacitySchedules;
    if (schedule === undefined) {
      return {};
    }
    const window = windowOf(schedule, scenario);
    const troubled = new Map<GroupName, EpochMs>();
    onEvent((event) => {
      // Others have changed what the group has, or an instance of it went.
      if ('group' in event && event.kind !== 'SizeSet' && event.kind !== 'NodeReady') {
        troubled.set(event.group, event.at);
      }
    });
    const isUnhealthy = (): boolean => {
      const unready = [...api.nodes.values()].filter((node) => !isNodeReady(node)).length;
      return unready > options.okTotalUnreadyCount;
    };
    /** Why it cannot be held to have more now. */
    const isExcused = (view: GroupView): boolean =>
      view.error !== null ||
      view.paused === true ||
      view.untagged === true ||
      isUnhealthy() ||
      !mayGrow(view, world, options) ||
      (remembered()?.state.backoff[view.group.name]?.until ?? 0) > clock.now();
    const lastExcuse = new Map<GroupName, EpochMs>();
    const look = (): void => {
      const now = clock.now();
      for (const view of scaling.groups()) {
        const { group, desired } = view;
        const least = leastOf(schedule, group);
        if (isExcused(view)) {
          lastExcuse.set(group.name, now);
        }
        const since = Math.max(
          window.from - minutes(1),
          strikes.troubledUntil(),
          troubled.get(group.name) ?? 0,
          lastExcuse.get(group.name) ?? 0,
        );
        if (desired < least && now - since > LONGEST) {
          violate(
            `${group.name} is to have ${desired} nodes, and ${least} by a schedule that is in force since ${(now - window.from) / 1_000} s`,
          );
        }
      }
    };
    every(window, look, clock.at);
    clock.at(epochMs(window.until - 1), () => {
      for (const { group, desired } of scaling.groups()) {
        judge(desired < leastOf(schedule, group));
      }
    });
    return {
      decided: (_seen, decision) => {
        const now = clock.now();
        if (now < window.from + UNSURE || now > window.until - UNSURE) {
          return;
        }
        for (const { group, desired } of scaling.groups()) {
          const { name } = group;
          const going = decision.scaleDown.removals.filter(
            ({ group: of, reason }) => of === name && reason === undefined,
          ).length;
          const least = leastOf(schedule, group);
          if (going > 0 && desired - going < least && now - (troubled.get(name) ?? 0) > UNSURE) {
            violate(`${going} nodes of ${name} are to go of ${desired}, and ${least} are to be there by a schedule`);
          }
        }
      },
    };
  },
};

/** Looks again and again while the schedule is in force. */
function every({ from, until }: Window, look: () => void, at: (time: EpochMs, look: () => void) => unknown): void {
  for (let time = from; time < until; time = addTime(time, minutes(0.5))) {
    at(time, look);
  }
}
