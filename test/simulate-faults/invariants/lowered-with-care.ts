import { members } from '../truth.ts';
import { MAX_LAG_MS } from '../world-faults.ts';
import type { Invariant } from './invariant.ts';

/** Between the last look at a group and the change of its size. */
const LOOKED_MS = MAX_LAG_MS + 20_000;

/**
 * No size is set below the machines that exist, for the cloud would then choose which of them ends. Machines that have
 * come since the group was last looked at are nobody's mistake.
 */
export const loweredWithCare: Invariant = {
  name: 'no size is set below the machines that are there',
  // A claim that another host's clock takes to be over is taken twice.
  assumes: ['skew'],
  watch: ({ world }, violate) => {
    // A machine that is ended by name takes the target down with it.
    let byName = false;
    return {
      event: (event) => {
        if (event.kind === 'InstanceTerminated') {
          byName = event.decrement;
          return;
        }
        const named = byName;
        byName = false;
        if (event.kind !== 'SizeSet' || event.to >= event.from || named) {
          return;
        }
        const { group, from, to, at } = event;
        const view = world.scaling.groups().find((one) => one.group.name === group)!;
        const there = members(view).filter(({ launchedAt }) => at - launchedAt > LOOKED_MS).length;
        if (to < there) {
          violate(`${group} goes from ${from} to ${to}, and has ${there} machines`);
        }
      },
    };
  },
};
