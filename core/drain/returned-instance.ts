import type { StoredDrain } from '../model/drain.ts';
import { heldInstances, type NodeGroup } from '../model/node-group.ts';
import { type EpochMs, minutes } from '../model/values/time.ts';

/** Longer than a description of a group is out of date, and than an instance takes to and from the warm pool and back. */
const ON_ITS_WAY = minutes(2);

/**
 * Has the instance that a drain has ended come back? A group whose warm pool reuses instances stops those that are ended,
 * and starts them again for a later scale-up: the same instance, and often the same Node object, with the marks of its
 * drain. Then the drain says nothing about it any more.
 */
export const hasReturned = (
  { drain }: StoredDrain,
  group: Pick<NodeGroup, 'name' | 'instances' | 'warmPool'>,
  now: EpochMs,
): boolean =>
  group.warmPool?.reuse === true &&
  drain.group === group.name &&
  drain.phase === 'Removed' &&
  now - drain.phaseSince >= ON_ITS_WAY &&
  heldInstances(group).some(({ id }) => id === drain.instance);
