import { CPU, MEMORY } from '../../../core/model/values/resources.ts';
import { type EpochMs, minutes } from '../../../core/model/values/time.ts';
import { areWithinLimits, isWithinOwnLimit } from '../limits.ts';
import { isChangeElsewhere, members } from '../truth.ts';
import type { Invariant } from './invariant.ts';

/** Changes by others may not have been read for this long. */
const READ_AGE_MS = minutes(1);
/** So long an instance is expected to become a node, by clocks that may be off. */
const PATIENCE_MS = minutes(13);

const LIMITS = ['maxNodesTotal', 'coresTotal', 'memoryTotal', 'maxCostPerHour', 'maxCostPerHour of a group'];

/** Nodes that an increase adds: sizes are absolute, so that one to a size that the group has adds none. */
const addedBy = (more: { readonly from: number; readonly to: number } | undefined, desired: number): number =>
  more === undefined || desired >= more.to ? 0 : more.to - more.from;

/**
 * No increase is decided beyond the limits of the whole cluster – nodes, cores, memory and cost – or the cost of the group. What counts is
 * what the groups have for certain: instances that are nodes, or may soon be; with the nodes that the increase adds.
 */
export const limitsKept: Invariant = {
  name: 'the limits of the cluster are kept',
  // Sizes that were changed lately are not seen.
  assumes: ['lag', 'skew'],
  watch: ({ world, scenario }, violate, count) => {
    const { api, clock } = world;
    const { options } = scenario;
    let changedAt = 0 as EpochMs;
    return {
      event: (event) => {
        if (isChangeElsewhere(event)) {
          changedAt = event.at;
        }
      },
      committed: ({ intents }) => {
        const raised = intents.flatMap((one) => (one.kind === 'SetSize' && one.to > one.from ? one : []));
        if (raised.length === 0 || !LIMITS.some((name) => scenario.drawn.includes(name))) {
          return;
        }
        const isArmed = clock.now() - changedAt > READ_AGE_MS;
        count(isArmed);
        const sizes = world.scaling.groups().flatMap((view) => {
          const held = members(view).filter(({ node, launchedAt, failed = false }) =>
            node === null ? !failed && clock.now() - launchedAt < PATIENCE_MS : api.nodes.has(node),
          ).length;
          const more = raised.find(({ group }) => group === view.group.name);
          // A resource of Cluster API states what is allocatable, and not what a machine has.
          const { capacity, allocatable } = view.group;
          const sure = { [CPU]: allocatable[CPU]!, [MEMORY]: allocatable[MEMORY]! };
          const group = { ...view.group, capacity: world.provider === 'aws' ? capacity : { ...capacity, ...sure } };
          return view.untagged === true
            ? []
            : { group, desired: Math.min(held, view.desired) + addedBy(more, view.desired) };
        });
        const own = sizes.filter(({ group }) => raised.some((one) => one.group === group.name));
        if (isArmed && !(areWithinLimits(sizes, options) && own.every((one) => isWithinOwnLimit(one, options)))) {
          const words = raised.map(({ group, from, to }) => `${group} from ${from} to ${to}`).join(', ');
          violate(`${words} is more than maxNodesTotal, coresTotal, memoryTotal or maxCostPerHour allow`);
        }
      },
    };
  },
};
