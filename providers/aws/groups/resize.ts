import type { SetSizeOutcome } from '../../../core/model/answers.ts';
import { instanceState } from './instances.ts';
import type { ScalingGroup } from './scaling-group.ts';

const failed = (code: string, message: string): SetSizeOutcome => ({
  kind: 'failed',
  class: 'Configuration',
  code,
  message,
});

export const gone = (name: string, cluster: string): SetSizeOutcome =>
  failed('GroupGone', `there is no Auto Scaling group ${name} that carries the discovery tags of cluster ${cluster}`);

/** Instances that the desired capacity counts: those that run or are being launched. */
export const held = ({ members }: ScalingGroup): number =>
  members.filter(({ lifecycleState }) => {
    const state = instanceState(lifecycleState);
    return state === 'Creating' || state === 'Running';
  }).length;

/** What we do not even ask AWS for; `null`: go ahead. AWS checks the bounds as well, stand-ins for it do not. */
export function refuse(group: ScalingGroup, size: number): SetSizeOutcome | null {
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
  // A size below the instances lets AWS choose which ones end, pods and all. Only capacity not yet there is given back.
  return size < desired && size < there
    ? failed(
        'WouldTerminateInstances',
        `size ${size} of Auto Scaling group ${name} is below its ${there} instances: AWS would choose which to terminate`,
      )
    : null;
}
