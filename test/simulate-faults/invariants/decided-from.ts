import type { GroupName, InstanceId } from '../../../core/model/values/names.ts';
import type { EpochMs } from '../../../core/model/values/time.ts';
import type { SimulatedInstance } from '../../../simulation/cloud/group-view.ts';
import { members, pendingOf } from '../truth.ts';
import { MAX_DELAY_MS, MAX_LAG_MS } from '../world-faults.ts';
import type { Invariant } from './invariant.ts';

/** From the last read of a group to the change of its size: an old description, and two calls as slow as they get. */
const READ_AGE_MS = MAX_LAG_MS + 2 * MAX_DELAY_MS;

/**
 * A size is set only where the group has the size that it was decided from: lowered from another one, it would take away
 * what another client has requested. And none is set below the instances that exist, for the cloud would then choose which of them
 * ends. A change, or an instance that has come, since the last read of the group is no mistake.
 */
export const decidedFrom: Invariant = {
  name: 'sizes are changed from the value that was decided upon',
  // A claim that another host's clock takes to be over is taken twice.
  assumes: ['skew'],
  watch: ({ orders, world }, violate, count) => {
    const lastChange = new Map<GroupName, EpochMs>();
    const back = new Map<InstanceId, EpochMs>();
    let byName = false;
    return {
      event: (event) => {
        if (event.kind === 'InstanceTerminated') {
          byName = event.decrement;
          return;
        }
        if (event.kind === 'SizeSetElsewhere') lastChange.set(event.group, event.at);
        if (event.kind === 'StandbyLeft') back.set(event.instance, event.at);
        const named = byName;
        byName = false;
        if (event.kind !== 'SizeSet' || event.from === event.to) {
          return;
        }
        const { group, from, to, at } = event;
        const before = lastChange.get(group) ?? Number.NEGATIVE_INFINITY;
        lastChange.set(group, at);
        if (named) {
          return;
        }
        const isArmed = at - before >= READ_AGE_MS;
        count(isArmed);
        const meant = pendingOf(group, orders.open()).filter((intent) => intent.kind === 'SetSize' && intent.to === to);
        if (isArmed && meant.length > 0 && !meant.some((intent) => intent.kind === 'SetSize' && intent.from === from)) {
          violate(`${group} goes from ${from} to ${to} by ${meant[0]!.id}, which was decided from another size`);
        }
        const view = world.scaling.groups().find((one) => one.group.name === group)!;
        const came = ({ id, launchedAt }: SimulatedInstance): number => Math.max(launchedAt, back.get(id) ?? 0);
        const there = members(view).filter((one) => at - came(one) > READ_AGE_MS).length;
        if (to < from && to < there) {
          violate(`${group} goes from ${from} to ${to}, and has ${there} instances`);
        }
      },
    };
  },
};
