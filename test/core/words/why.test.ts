import { describe, expect, it } from 'vitest';
import { groupName, instanceId, podKey } from '../../../core/model/values/names.ts';
import { EVENT_MESSAGES } from '../../../core/words/event-messages.ts';
import { repairText } from '../../../core/words/repairs.ts';
import { whyGroupCannotHelp, whyGroupSkipped } from '../../../core/words/why-group-skipped.ts';
import { whyLaunchFailed } from '../../../core/words/why-launch-failed.ts';
import { whyNodeStays } from '../../../core/words/why-node-stays.ts';
import { whySizeNotSet } from '../../../core/words/why-size-not-set.ts';
import { NOW } from '../../scenario-builders.ts';

const group = groupName('web');

describe('why a node group is skipped', () => {
  it.each([
    [{ reason: 'Unhealthy' }, 'not ready for scale-up'],
    [{ reason: 'Unhealthy', message: '2 of 9 nodes are ready' }, 'not ready for scale-up: 2 of 9 nodes are ready'],
    [
      { reason: 'BackedOff', class: 'Quota', until: NOW },
      'in backoff after failed scale-up: Quota, until 2026-01-01T12:00:00Z',
    ],
    [
      { reason: 'BackedOff', class: 'OutOfResources', message: 'no m5.large in a', until: NOW },
      'no m5.large in a, until 2026-01-01T12:00:00Z',
    ],
    [{ reason: 'MaxSizeReached', message: 'maxSize 3' }, 'max node group size reached: maxSize 3'],
  ] as const)('%j', (skipped, text) => {
    expect(whyGroupSkipped(skipped)).toBe(text);
  });

  it('groups at their maximum read alike as the reason of a pod', () => {
    expect(whyGroupCannotHelp({ group, reason: 'MaxSizeReached', message: 'maxSize 3' })).toBe(
      'max node group size reached',
    );
    expect(whyGroupCannotHelp({ group, reason: 'Invalid', message: 'tag x' })).toBe('invalid node group: tag x');
  });
});

it('why a node stays: its message, else the short text of the reason, with the pod', () => {
  expect(whyNodeStays({ reason: 'NotAutoscaled' })).toBe('in no node group');
  expect(whyNodeStays({ reason: 'NotUnderutilized', message: '60% of its cpu is requested' })).toBe(
    '60% of its cpu is requested',
  );
  expect(
    whyNodeStays({ reason: 'NoPlaceToMovePods', pod: podKey('default', 'web-1') }, (pod) => pod.split('/')[1]!),
  ).toBe('pod web-1: no place to move its pods');
});

it('why a launch failed, and what to do about it', () => {
  expect(whyLaunchFailed('Addresses')).toBe('A subnet has no free IP addresses. Add subnets, or free addresses.');
});

it('what a repair does', () => {
  expect(repairText({ kind: 'DeleteUnregistered', group, instance: instanceId('i-1') })).toBe(
    'terminate an unregistered instance of web: i-1',
  );
  expect(repairText({ kind: 'IncreaseToMin', group, from: 0, to: 1 })).toBe(
    'raise the target to the minimum: web 0 → 1',
  );
});

it.each([
  [{ kind: 'TargetChanged', now: 2, from: 0 }, 'the target is now 2, decided from 0'],
  [{ kind: 'AboveMaximum', now: 4, to: 5 }, 'the maximum is now 4, decided 5'],
  [{ kind: 'AlreadySet' }, 'that is the target already'],
  [{ kind: 'Superseded' }, 'the group has failed since: its pods are planned anew'],
] as const)('why a size is not set: %j', (refusal, text) => {
  expect(whySizeNotSet(refusal)).toBe(text);
});

describe("events of a drain that failed have Cluster Autoscaler's messages", () => {
  it.each([
    ['drain', 'FailedToMarkToBeDeleted', 'failed to mark the node as toBeDeleted/unschedulable: no'],
    ['empty', 'FailedToDelete', 'failed to delete empty node: no'],
    ['drain', 'FailedToDelete', 'failed to drain and delete node: no'],
  ] as const)('%s, %s', (kind, failure, message) => {
    expect(EVENT_MESSAGES.failed(kind, failure, null, 'no')).toBe(message);
  });

  it('with the pod', () => {
    expect(EVENT_MESSAGES.failed('drain', 'FailedToEvictPods', podKey('default', 'web-1'), 'not evicted in 2m')).toBe(
      'failed to drain and delete node: pod default/web-1: not evicted in 2m',
    );
  });
});
