import type { NodeGroup } from '../model/node-group.ts';
import type { IncorrectSize } from '../model/state.ts';
import type { EpochMs } from '../model/values/time.ts';
import type { GroupCounts } from './counts.ts';

/**
 * How far a group's registered nodes are from its target, and since when it has been exactly so; `null`: it is right.
 * Instances that are no nodes yet may be missing from the registered ones.
 *
 * Follows `updateIncorrectNodeGroupSizes` of Cluster Autoscaler's clusterstate.go.
 */
export function incorrectSizeOf(
  { targetSize: expected }: NodeGroup,
  { registered: current, unregistered, longUnregistered }: GroupCounts,
  before: IncorrectSize | null,
  now: EpochMs,
): IncorrectSize | null {
  if (current <= expected && current >= expected - unregistered.length - longUnregistered.length) {
    return null;
  }
  return before !== null && before.current === current && before.expected === expected
    ? before
    : { current, expected, firstObserved: now };
}
