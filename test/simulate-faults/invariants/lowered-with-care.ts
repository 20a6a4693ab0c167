import { members } from '../truth.ts';
import { MAX_LAG_MS } from '../world-faults.ts';
import type { Invariant } from './invariant.ts';

/** Between the last read of a group and the change of its size. */
const READ_AGE_MS = MAX_LAG_MS + 20_000;

/**
 * No size is set below the instances that exist, for the cloud would then choose which of them ends. Instances that have
 * come since the group was last read are no mistake.
 */
export const loweredWithCare: Invariant = {
  name: 'no size is set below the instances that are there',
  on: ['aws'],
  // A claim that another host's clock takes to be over is taken twice.
  assumes: ['skew'],
  watch: ({ world }, violate, count) => {
    // An instance that is ended by name takes the target down with it.
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
        count(true);
        const { group, from, to, at } = event;
        const view = world.scaling.groups().find((one) => one.group.name === group)!;
        const there = members(view).filter(({ launchedAt }) => at - launchedAt > READ_AGE_MS).length;
        if (to < there) {
          violate(`${group} goes from ${from} to ${to}, and has ${there} instances`);
        }
      },
    };
  },
};
