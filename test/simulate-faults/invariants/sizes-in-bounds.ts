import type { GroupName } from '../../../core/model/values/names.ts';
import type { EpochMs } from '../../../core/model/values/time.ts';
import { isToBeReplaced, isToEnd } from '../deadlines.ts';
import { isWholeGroup } from '../whole-groups.ts';
import { members } from '../truth.ts';
import { MAX_LAG_MS } from '../world-faults.ts';
import type { Invariant } from './invariant.ts';

/** An instance that ended by itself may not have been missed by then. */
const UNNOTICED_MS = MAX_LAG_MS + 30_000;

interface Bounds {
  readonly minSize: number;
  readonly maxSize: number;
  /** `null`: they are in force. */
  readonly until: EpochMs | null;
}

/**
 * No target above its group's maximum or below its minimum: neither in the cloud nor in what is to be done. And no instance
 * is ended of a group that has no more than its minimum, however many it is to have, but for one that the cloud ends anyway,
 * or recommends to replace (docs/interruption-handling.md). A group that is all or nothing (`zeroOrMaxNodeScaling`) is raised to its
 * maximum.
 */
export const sizesInBounds: Invariant = {
  name: 'no target above max or below min',
  watch: (stage, violate, count) => {
    const { world, scenario } = stage;
    /** Bounds that each group has, and had when what is committed may have been read. */
    const bounds = new Map<GroupName, Bounds[]>(
      scenario.groups.map(({ name, minSize, maxSize }) => [name, [{ minSize, maxSize, until: null }]]),
    );
    const whole = new Set(scenario.groups.filter(isWholeGroup).map(({ name }) => name));
    const counts = new Map<GroupName, number>();
    const lastLoss = new Map<GroupName, EpochMs>();
    return {
      event: (event) => {
        if (event.kind === 'SizeSetElsewhere' || event.kind === 'BoundsSetElsewhere') {
          lastLoss.set(event.group, event.at);
        }
        if (event.kind === 'BoundsSetElsewhere') {
          const { group, minSize, maxSize, at } = event;
          const before = bounds.get(group)!.map((one) => ({ ...one, until: one.until ?? at }));
          bounds.set(group, [...before, { minSize, maxSize, until: null }]);
        }
        if (event.kind !== 'InstanceTerminated' || !event.decrement) {
          return;
        }
        const { group, instance, at, node } = event;
        // An instance that is no node serves no pod, and one that the cloud ends is lost anyway: neither counts for the minimum.
        const isNode = node !== null && world.api.nodes.has(node);
        const serves = isNode && !isToEnd(stage, instance) && !isToBeReplaced(stage, instance);
        const view = world.scaling.groups().find((one) => one.group.name === group)!;
        const left = members(view).filter(({ id }) => id !== instance).length;
        const isArmed = serves && at - (lastLoss.get(group) ?? 0) > UNNOTICED_MS;
        count(isArmed);
        if (isArmed && left < view.group.minSize) {
          violate(
            `${instance} is ended, and ${group} has ${left} other instances: ${view.group.minSize} is its minimum`,
          );
        }
        counts.set(group, left);
      },
      step: () => {
        for (const view of world.scaling.groups()) {
          const { group, desired } = view;
          const there = members(view).length;
          if (there < (counts.get(group.name) ?? 0)) {
            lastLoss.set(group.name, world.clock.now());
          }
          counts.set(group.name, there);
          if (desired < group.minSize || desired > group.maxSize) {
            violate(`${group.name} is to have ${desired} instances: ${group.minSize} to ${group.maxSize} are allowed`);
          }
        }
      },
      committed: ({ intents }) => {
        for (const intent of intents) {
          const known = bounds
            .get(intent.group)!
            .filter(({ until }) => until === null || world.clock.now() - until < UNNOTICED_MS);
          count(true);
          const minSize = Math.min(...known.map((one) => one.minSize));
          const maxSize = Math.max(...known.map((one) => one.maxSize));
          if (intent.kind === 'SetSize' && (intent.to < minSize || intent.to > maxSize)) {
            violate(`intent ${intent.id} sets ${intent.group} to ${intent.to}: ${minSize} to ${maxSize} are allowed`);
          }
          const isRaised = intent.kind === 'SetSize' && intent.to > intent.from;
          if (isRaised && whole.has(intent.group) && !known.some((one) => one.maxSize === intent.to)) {
            violate(
              `intent ${intent.id} raises ${intent.group} to ${intent.to} of ${maxSize}, which is all or nothing`,
            );
          }
        }
      },
    };
  },
};
