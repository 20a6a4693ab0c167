import type { Activity } from '@aws-sdk/client-auto-scaling';
import { describe, expect, test } from 'vitest';
import { groupName } from '../../../../core/model/values/names.ts';
import { epochMs } from '../../../../core/model/values/time.ts';
import { readActivities, withLaunchFailures } from '../../../../providers/aws/groups/activities.ts';
import { group, NOW, running, times } from '../../../scenario-builders.ts';
import { autoScalingError, autoScalingResult, startWireServer, type Xml } from '../wire-server.ts';

const at = (seconds: number): Date => new Date(NOW + seconds * 1_000);
const NO_CAPACITY =
  'We currently do not have sufficient m5.large capacity in the Availability Zone you requested (us-east-1a). Launching EC2 instance failed.';
const INTO_WARM_POOL = 'Launching a new EC2 instance into warm pool';

/** An activity, this many seconds after the request. */
const activity = (seconds: number, StatusCode: Activity['StatusCode'], extra: Partial<Activity> = {}): Activity => ({
  ActivityId: 'a',
  AutoScalingGroupName: 'web',
  Cause: 'At 2026-01-01T00:00:00Z a user request changed the desired capacity.',
  Description: 'Launching a new EC2 instance',
  StartTime: at(seconds),
  StatusCode,
  ...(StatusCode === 'Failed' ? { StatusMessage: NO_CAPACITY } : {}),
  ...extra,
});

/** In AWS' order: those in progress first, then the newest first. */
describe('the launches since a request', () => {
  test.each<{ name: string; activities: readonly Activity[]; zones: readonly (string | null)[]; underWay?: number }>([
    { name: 'none', activities: [], zones: [] },
    { name: 'one that failed', activities: [activity(3, 'Failed')], zones: ['us-east-1a'] },
    { name: 'one that failed before', activities: [activity(-1, 'Failed')], zones: [] },
    { name: 'one that failed in the very second', activities: [activity(0, 'Failed')], zones: ['us-east-1a'] },
    {
      name: 'what came before is another request’s',
      activities: [activity(2, 'InProgress'), activity(-60, 'Successful'), activity(-90, 'Failed')],
      zones: [],
    },
    {
      name: 'one that failed and found another zone',
      activities: [activity(5, 'Successful'), activity(3, 'Failed')],
      zones: [],
    },
    {
      name: 'one that failed after another had succeeded',
      activities: [activity(5, 'Failed'), activity(3, 'Successful')],
      zones: ['us-east-1a'],
    },
    {
      name: 'some of a batch',
      activities: [activity(3, 'Failed'), activity(3, 'Successful'), activity(3, 'Failed')],
      zones: ['us-east-1a', 'us-east-1a'],
    },
    {
      name: 'one that waits for its spot instance',
      activities: [activity(4, 'WaitingForSpotInstanceId'), activity(3, 'Failed')],
      zones: ['us-east-1a'],
      underWay: 1,
    },
    {
      name: 'one that failed, behind an old termination in progress',
      activities: [
        activity(-600, 'MidLifecycleAction', { Description: 'Terminating EC2 instance: i-1' }),
        activity(20, 'Failed'),
      ],
      zones: ['us-east-1a'],
    },
    {
      name: 'one that failed, behind an old launch of an instance that is shown',
      activities: [
        activity(-120, 'PreInService', { Description: 'Launching a new EC2 instance: i-0a' }),
        activity(20, 'Failed'),
      ],
      zones: ['us-east-1a'],
    },
    {
      name: 'an old launch in progress whose instance is not shown yet',
      activities: [
        activity(-120, 'PreInService', { Description: 'Launching a new EC2 instance: i-0b' }),
        activity(20, 'Failed'),
      ],
      zones: ['us-east-1a'],
      underWay: 1,
    },
    {
      name: 'an old launch that still waits for its instance',
      activities: [activity(-120, 'WaitingForInstanceId'), activity(20, 'Failed'), activity(-90, 'Failed')],
      zones: ['us-east-1a'],
      underWay: 1,
    },
    {
      name: 'one that failed before, behind one in progress',
      activities: [activity(3, 'WaitingForSpotInstanceId'), activity(-90, 'Failed')],
      zones: [],
      underWay: 1,
    },
    {
      name: 'terminations that failed',
      activities: [activity(3, 'Failed', { Description: 'Terminating EC2 instance: i-1' })],
      zones: [],
    },
    {
      name: 'one that failed, while its warm pool is filled',
      activities: [
        activity(4, 'InProgress', { Description: `${INTO_WARM_POOL}: i-0c` }),
        activity(6, 'Successful', { Description: `${INTO_WARM_POOL}: i-0d` }),
        activity(3, 'Failed'),
      ],
      zones: ['us-east-1a'],
    },
    {
      name: 'launches into the warm pool that failed',
      activities: [activity(3, 'Failed', { Description: `${INTO_WARM_POOL}.  Status Reason: ${NO_CAPACITY}` })],
      zones: [],
    },
    { name: 'launches called off', activities: [activity(3, 'Cancelled')], zones: [] },
    {
      name: 'the zone that the details name',
      activities: [
        activity(3, 'Failed', {
          StatusMessage: 'You have requested more vCPU capacity than your current vCPU limit of 32 allows.',
          Details: '{"Subnet ID":"subnet-1","Availability Zone":"us-east-1c"}',
        }),
      ],
      zones: ['us-east-1c'],
    },
    {
      name: 'no zone where none is named',
      activities: [activity(3, 'Failed', { StatusMessage: 'The security group does not exist' })],
      zones: [null],
    },
  ])('$name', ({ activities, zones, underWay = 0 }) => {
    const read = readActivities(activities, epochMs(NOW + 400), new Set(['i-0a']));
    expect(read.failures.map(({ zone }) => zone)).toEqual(zones);
    expect(read.underWay).toBe(underWay);
  });

  test.each([
    [NO_CAPACITY, 'OutOfResources'],
    ['You have requested more vCPU capacity than your current vCPU limit of 32 allows.', 'Quota'],
    ['There are not enough free addresses in subnet subnet-1 to satisfy the request.', 'Addresses'],
    ['The key pair x does not exist. Launching EC2 instance failed.', 'Configuration'],
    ['You are not authorized to use launch template: lt-1', 'Authorization'],
  ])('%s is %s', (StatusMessage, expected) => {
    expect(readActivities([activity(1, 'Failed', { StatusMessage })], NOW).failures[0]!.class).toBe(expected);
  });
});

/** AWS with these activities of every group, in pages of a hundred. */
async function aws(activities: readonly Activity[] | 'throttles') {
  const server = await startWireServer(({ action, parameters }) => {
    if (activities === 'throttles') {
      return autoScalingError(400, 'Throttling', 'Rate exceeded');
    }
    const first = Number(parameters.get('NextToken') ?? 0);
    const next = first + Number(parameters.get('MaxRecords'));
    return autoScalingResult(action, {
      Activities: activities.slice(first, next).map(inXml),
      ...(next < activities.length ? { NextToken: String(next) } : {}),
    });
  });
  return server;
}

const inXml = (activity: Activity): Xml =>
  Object.fromEntries(
    Object.entries(activity).map(([key, value]) => [key, value instanceof Date ? value.toISOString() : value]),
  ) as Xml;

const web = groupName('web');
const asked = new Map([[web, NOW]]);

describe('groups with instances that are missing', () => {
  test('get a failure for each that could not be launched, with the reason and the zone', async () => {
    const { clients, calls } = await aws([activity(3, 'Failed')]);
    const given = group('web', { target: 3, instances: [running('i-1', null)] });
    expect(await withLaunchFailures(clients.autoScaling, [given], asked)).toEqual([
      {
        ...given,
        launchFailures: [0, 1].map((n) => ({
          id: `i-placeholder-web-${n}`,
          zone: 'us-east-1a',
          class: 'OutOfResources',
          code: 'LaunchFailed',
          message: NO_CAPACITY,
        })),
      },
    ]);
    expect(calls[0]!.parameters.get('AutoScalingGroupName')).toBe('web');
  });

  test('get none for launches that are still under way', async () => {
    const { clients } = await aws([activity(4, 'WaitingForSpotInstanceId'), activity(3, 'Failed')]);
    const [read] = await withLaunchFailures(clients.autoScaling, [group('web', { target: 2 })], asked);
    expect(read!.launchFailures).toHaveLength(1);
  });

  const terminating = activity(-600, 'MidLifecycleAction', { Description: 'Terminating EC2 instance: i-1' });
  const failed = activity(40, 'Failed');
  const old = activity(-91, 'Failed');
  test.each([
    { name: 'on the second page', activities: [...times(100, () => activity(50, 'Cancelled')), failed], pages: 2 },
    { name: 'behind a hundred old ones in progress', activities: [...times(100, () => terminating), failed], pages: 2 },
    {
      name: 'on a page that ends with old ones',
      activities: [terminating, failed, ...times(110, () => old)],
      pages: 1,
    },
    {
      name: 'and are query on five pages at most',
      activities: [...times(600, () => terminating), failed],
      pages: 5,
      told: 0,
    },
  ])('are told of what failed $name', async ({ activities, pages, told = 1 }) => {
    const { clients, calls } = await aws(activities);
    const [seen] = await withLaunchFailures(clients.autoScaling, [group('web', { target: 1 })], asked);
    expect({ pages: calls.length, told: seen!.launchFailures.length }).toEqual({ pages, told });
  });

  test.each([
    { name: 'nothing is missing', given: group('web', { target: 1, instances: [running('i-1', null)] }), since: asked },
    { name: 'nothing was requested', given: group('web', { target: 3 }), since: new Map() },
    {
      name: 'another group was requested',
      given: group('web', { target: 3 }),
      since: new Map([[groupName('api'), NOW]]),
    },
  ])('are not asked about when $name', async ({ given, since }) => {
    const { clients, calls } = await aws([activity(3, 'Failed')]);
    expect(await withLaunchFailures(clients.autoScaling, [given], since)).toEqual([given]);
    expect(calls).toEqual([]);
  });

  test('stay as they are while AWS does not answer', async () => {
    const { clients } = await aws('throttles');
    const given = group('web', { target: 3 });
    expect(await withLaunchFailures(clients.autoScaling, [given], asked)).toEqual([given]);
  });

  test('are asked about ten at a time, those that have waited longest', async () => {
    const { clients, calls } = await aws([]);
    const groups = times(30, (i) => group(`g${i}`, { target: 1 }));
    const since = new Map(groups.map(({ name }, i) => [name, epochMs(NOW - i)]));
    await withLaunchFailures(clients.autoScaling, groups, since);
    expect(new Set(calls.map(({ parameters }) => parameters.get('AutoScalingGroupName')))).toEqual(
      new Set(times(10, (i) => `g${20 + i}`)),
    );
    expect(calls).toHaveLength(10);
  });
});
