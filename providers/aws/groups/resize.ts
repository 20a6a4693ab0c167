import type { SetSizeOutcome } from '@outrigger/core/model/answers.ts';
import { instanceState } from './instances.ts';
import type { ScalingGroup } from './scaling-group.ts';

const failed = (code: string, message: string): SetSizeOutcome => ({
  kind: 'failed',
  class: 'Configuration',
  code,
  message,
});

export const gone = (name: string, cluster: string): SetSizeOutcome =>
  failed('GroupGone', `there is no Auto Scaling group ${name} that is discovered as one of cluster ${cluster}`);

/** Number of instances that the desired capacity counts: those that run or are being launched. */
export const held = ({ members }: ScalingGroup): number =>
  members.filter(({ lifecycleState }) => {
    const state = instanceState(lifecycleState);
    return state === 'Creating' || state === 'Running';
  }).length;

/**
 * Why a size is refused before any call; `null` where it is not refused. AWS checks the bounds as well, emulators do
 * not.
 */
export function refusedGroupSize(group: ScalingGroup, size: number): SetSizeOutcome | null {
  const { name, min, max, desired } = group;
  if (!Number.isSafeInteger(size) || size < min) {
    return failed('BelowMinSize', `size ${size} of Auto Scaling group ${name} is below its minimum of ${min}`);
  }
  if (size > max) {
    return failed('AboveMaxSize', `size ${size} of Auto Scaling group ${name} is above its maximum of ${max}`);
  }
  if (size > desired && group.suspended.includes('Launch')) {
    return failed(
      'LaunchSuspended',
      `Auto Scaling group ${name} starts no instances: its process Launch is suspended; resume it`,
    );
  }
  const there = held(group);
  // Below the number of instances AWS would choose which to terminate, with their pods. Only missing capacity is given
  // back.
  if (size < desired && size < there) {
    return failed(
      'WouldTerminateInstances',
      `size ${size} of Auto Scaling group ${name} is below its ${there} instances: AWS would choose which to terminate`,
    );
  }
  return null;
}
