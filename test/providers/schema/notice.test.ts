import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Announcement } from '../../../core/ports/notice-inbox.ts';
import { epochMs } from '../../../core/model/values/time.ts';
import { parseInstanceEvent } from '../../../providers/schema/notice.ts';
import { deliveredEvent, EVENTS_OF_KINDS, INSTANCE_OF_EVENTS } from './events-of-instances.ts';

const REGION = 'us-east-1';
const ID = INSTANCE_OF_EVENTS;
const HAPPENED = epochMs(Date.UTC(2026, 0, 1, 12));
/** Events take a moment. */
const NOW = epochMs(HAPPENED + 700);

/** As EventBridge delivers it. */
const eventOf = (source: string, type: string, detail: Readonly<Record<string, unknown>>, extra: object = {}) => ({
  ...deliveredEvent(source, type, `arn:aws:ec2:us-east-1b:instance/${ID}`, detail),
  ...extra,
});
const parse = (event: unknown) => parseInstanceEvent(event, REGION, NOW);

const spot = (detail: object, extra: object = {}) =>
  eventOf('aws.ec2', 'EC2 Spot Instance Interruption Warning', { 'instance-id': ID, ...detail }, extra);
const state = (name: string) =>
  eventOf('aws.ec2', 'EC2 Instance State-change Notification', { 'instance-id': ID, state: name });
const health = (detail: object) =>
  eventOf('aws.health', 'AWS Health Event', {
    eventArn: 'arn:aws:health:us-east-1::event/EC2/AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED/1',
    service: 'EC2',
    eventTypeCode: 'AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED',
    eventTypeCategory: 'scheduledChange',
    startTime: 'Sat, 05 Dec 2026 15:10:09 GMT',
    endTime: 'Sat, 05 Dec 2026 17:10:09 GMT',
    eventDescription: [{ language: 'en_US', latestDescription: 'A description of the event' }],
    affectedEntities: [{ entityValue: ID, tags: { stage: 'prod' } }],
    ...detail,
  });
const lifecycle = (detail: object, type = 'EC2 Instance-terminate Lifecycle Action') =>
  eventOf(
    'aws.autoscaling',
    type,
    {
      LifecycleActionToken: '0befcbdb-6ecd-498a-9ff7-ae9b54447cd6',
      AutoScalingGroupName: 'web',
      LifecycleHookName: 'outrigger-drain',
      EC2InstanceId: ID,
      LifecycleTransition: 'autoscaling:EC2_INSTANCE_TERMINATING',
      NotificationMetadata: '',
      Origin: 'AutoScalingGroup',
      Destination: 'EC2',
      ...detail,
    },
    { resources: ['arn:aws:autoscaling:us-east-1:123456789012:autoScalingGroup:1:autoScalingGroupName/web'] },
  );
const STARTS = epochMs(Date.UTC(2026, 11, 5, 15, 10, 9));
const HOOK = { name: 'outrigger-drain', token: '0befcbdb-6ecd-498a-9ff7-ae9b54447cd6', heartbeatUntil: null };
const WAITS = { ...HOOK, waitsSince: HAPPENED };

const announced = (extra: Partial<Announcement>) => ({
  instance: ID,
  receivedAt: NOW,
  endsAt: null,
  hook: null,
  ...extra,
});

describe('an event announces', () => {
  it.each([
    [
      'a Spot interruption, two minutes ahead',
      spot({ 'instance-action': 'terminate' }),
      { kind: 'SpotInterruption', endsAt: HAPPENED + 120_000 },
    ],
    [
      'a Spot instance that is stopped',
      spot({ 'instance-action': 'stop' }),
      { kind: 'SpotInterruption', endsAt: HAPPENED + 120_000 },
    ],
    [
      'a Spot instance that hibernates, which begins at once',
      spot({ 'instance-action': 'hibernate' }),
      { kind: 'SpotInterruption', endsAt: HAPPENED },
    ],
    [
      'a Spot interruption by a clock that is ahead',
      spot({}, { time: '2026-01-01T12:05:00Z' }),
      { kind: 'SpotInterruption', endsAt: NOW + 120_000 },
    ],
    [
      'a Spot interruption without a time',
      spot({}, { time: undefined }),
      { kind: 'SpotInterruption', endsAt: NOW + 120_000 },
    ],
    [
      'a rebalance recommendation',
      eventOf('aws.ec2', 'EC2 Instance Rebalance Recommendation', { 'instance-id': ID }),
      { kind: 'RebalanceRecommendation' },
    ],
    [
      'the end of a capacity reservation',
      eventOf(
        'aws.ec2',
        'EC2 Capacity Reservation Instance Interruption Warning',
        {
          'instance-id': ID,
          'instance-action': 'terminate',
          'instance-termination-time': '2026-01-01T12:02:30Z',
          azId: 'use1-az1',
        },
        { resources: `arn:aws:ec2:us-east-1:123456789012:instance/${ID}` },
      ),
      { kind: 'CapacityReservationEnd', endsAt: HAPPENED + 150_000 },
    ],
    [
      'the end of a capacity reservation by its other name, without a time',
      eventOf('aws.ec2', 'EC2 Interruptible Capacity Reservation Instance Interruption Warning', {
        'instance-id': ID,
        'instance-action': 'terminate',
      }),
      { kind: 'CapacityReservationEnd', endsAt: HAPPENED + 120_000 },
    ],
    ['an instance that is being stopped', state('stopping'), { kind: 'InstanceStopping', endsAt: HAPPENED }],
    ['an instance that is stopped', state('stopped'), { kind: 'InstanceStopping', endsAt: HAPPENED }],
    ['an instance that is terminated', state('shutting-down'), { kind: 'InstanceStopping', endsAt: HAPPENED }],
    ['a scheduled change', health({}), { kind: 'ScheduledChange', endsAt: STARTS }],
    ['a scheduled change without a time', health({ startTime: undefined }), { kind: 'ScheduledChange' }],
    [
      'a scheduled change that AWS has called off',
      health({ statusCode: 'closed' }),
      { kind: 'ScheduledChange', endsAt: STARTS, isClosed: true },
    ],
    [
      'a scheduled change that is over for the instance',
      health({ affectedEntities: [{ entityValue: ID, status: 'RESOLVED' }] }),
      { kind: 'ScheduledChange', endsAt: STARTS, isClosed: true },
    ],
    ['a lifecycle hook', lifecycle({}), { kind: 'LifecycleHook', hook: WAITS }],
    [
      'a lifecycle hook by a clock that is ahead: the same hook by whichever clock it is received',
      { ...lifecycle({}), time: '2026-01-01T12:00:05Z' },
      { kind: 'LifecycleHook', hook: { ...HOOK, waitsSince: HAPPENED + 5_000 } },
    ],
    [
      'a lifecycle hook by a rule that leaves out the time',
      { ...lifecycle({}), time: undefined },
      { kind: 'LifecycleHook', hook: HOOK },
    ],
    [
      'a lifecycle hook of an instance on its way to a warm pool',
      lifecycle({ Destination: 'WarmPool' }),
      { kind: 'LifecycleHook', hook: WAITS },
    ],
    [
      'a lifecycle hook that others complete',
      lifecycle({ LifecycleHookName: 'Terminate-LC-Hook' }),
      { kind: 'LifecycleHook', hook: null },
    ],
    [
      'the same of an instance with a short ID',
      eventOf('aws.ec2', 'EC2 Instance Rebalance Recommendation', { 'instance-id': 'i-abcd1111' }),
      { kind: 'RebalanceRecommendation', instance: 'i-abcd1111' },
    ],
  ] as const)('%s', (_, event, expected) => {
    expect(parse(event)).toEqual({
      ok: true,
      value: {
        kind: 'announced',
        id: '1e5527d7-bb36-4607-3370-4164db56a40e',
        announcements: [announced(expected as Partial<Announcement>)],
      },
    });
  });

  const instancesIn = (detail: object): readonly string[] => {
    const parsed = parse(health(detail));
    return parsed.ok && parsed.value.kind === 'announced'
      ? parsed.value.announcements.map(({ instance }) => instance)
      : [];
  };

  it('a scheduled change of several instances, each once, and of nothing else', () => {
    const others = ['i-0000000000000000a', 'i-0000000000000000b'];
    const entityValues = [ID, ...others, ID, 'vol-0000000000000000a', 'AWS_ACCOUNT', ''];
    const affectedEntities = entityValues.map((entityValue) => ({ entityValue }));
    expect(instancesIn({ affectedEntities })).toEqual([ID, ...others]);
    const junk = [null, 7, 'i-0000000000000000a', [], {}, { entityValue: { a: 1 } }];
    expect(instancesIn({ affectedEntities: [...junk, { entityValue: ID, status: 'PENDING' }] })).toEqual([ID]);
  });

  it('a scheduled change of thousands of instances', () => {
    const affectedEntities = Array.from({ length: 20_000 }, (_, n) => ({
      entityValue: `i-${(n % 10_000).toString(16).padStart(17, '0')}`,
      tags: {},
    }));
    expect(instancesIn({ affectedEntities })).toHaveLength(10_000);
  });
});

describe('an event announces nothing', () => {
  it.each([
    { name: 'of an instance that runs', event: state('running') },
    { name: 'of one that is gone', event: state('terminated') },
    { name: 'of another service of AWS Health', event: health({ service: 'RDS' }) },
    { name: 'of AWS Health that is no change', event: health({ eventTypeCategory: 'issue' }) },
    { name: 'of a change of volumes', event: health({ affectedEntities: [{ entityValue: 'vol-0123' }] }) },
    { name: 'of a hook for launches', event: lifecycle({ LifecycleTransition: 'autoscaling:EC2_INSTANCE_LAUNCHING' }) },
    { name: 'of a launch', event: lifecycle({}, 'EC2 Instance-launch Lifecycle Action') },
    { name: 'of another kind', event: eventOf('aws.ec2', 'EBS Snapshot Notification', {}) },
    { name: 'of another sender', event: { ...spot({}), source: 'of.another.application' } },
    {
      name: 'of another sender with a name of JavaScript',
      event: { ...spot({}), source: '__proto__', 'detail-type': 'constructor' },
    },
    { name: 'of another region', event: spot({}, { region: 'eu-central-1' }) },
  ])('$name', ({ event }) => {
    expect(parse(event)).toEqual({ ok: true, value: { kind: 'nothing', why: expect.any(String) } });
  });
});

it('an event of a launch that failed says so, whatever else it says', () => {
  const event = eventOf('aws.autoscaling', 'EC2 Instance Launch Unsuccessful', { StatusMessage: 'no capacity' });
  expect(parse(event)).toEqual({ ok: true, value: { kind: 'launch failed' } });
});

it.each(['Manual Shift Started', 'Autoshift Completed', 'a kind of later days'])(
  'an event of ARC says that a zone is shifted away from, or not any more: %s',
  (type) => {
    const event = eventOf('aws.arc-zonal-shift', type, {});
    expect(parse(event)).toEqual({ ok: true, value: { kind: 'zone shifted' } });
    expect(parse({ ...event, region: 'eu-west-1' })).toMatchObject({ ok: true, value: { kind: 'nothing' } });
  },
);

describe('an event is not readable, and says what was expected without what was found', () => {
  it.each([
    { name: 'nothing', event: undefined },
    { name: 'null', event: null },
    { name: 'a text', event: 'secret' },
    { name: 'a list', event: [spot({})] },
    { name: 'no fields', event: {} },
    { name: 'no id', event: { ...spot({}), id: undefined } },
    { name: 'an id of a thousand characters', event: { ...spot({}), id: 'secret'.repeat(1_000) } },
    { name: 'a source that is a number', event: { ...spot({}), source: 7 } },
    { name: 'no detail', event: { ...spot({}), detail: undefined } },
    { name: 'a detail that is a text', event: { ...spot({}), detail: 'secret' } },
    { name: 'no instance', event: eventOf('aws.ec2', 'EC2 Instance Rebalance Recommendation', {}) },
    { name: 'an instance that is a list', event: spot({ 'instance-id': [ID] }) },
    { name: 'an instance that is no ID', event: spot({ 'instance-id': 'secret/../*' }) },
    { name: 'an instance of a megabyte', event: spot({ 'instance-id': `i-${'0'.repeat(1e6)}` }) },
    { name: 'an action that is an object', event: spot({ 'instance-action': { terminate: true } }) },
    {
      name: 'a state that is a number',
      event: eventOf('aws.ec2', 'EC2 Instance State-change Notification', { 'instance-id': ID, state: 16 }),
    },
    { name: 'entities that are no list', event: health({ affectedEntities: { entityValue: ID } }) },
    { name: 'no entities', event: health({ affectedEntities: undefined }) },
    { name: 'a hook without a token', event: lifecycle({ LifecycleActionToken: undefined }) },
    { name: 'a hook without a name', event: lifecycle({ LifecycleHookName: '' }) },
  ])('$name', ({ event }) => {
    const parsed = parse(event);
    expect(parsed).toEqual({ ok: false, error: expect.stringMatching(/expected|Too big|Too small|Invalid/i) });
    expect(JSON.stringify(parsed)).not.toContain('secret');
  });

  it('whatever a field is', () => {
    const base = [spot({}), state('stopping'), health({}), lifecycle({})];
    fc.assert(
      fc.property(fc.constantFrom(...base), fc.nat(30), fc.anything(), (event, at, value) => {
        const detail = event.detail as Record<string, unknown>;
        const [outer, inner] = [Object.keys(event), Object.keys(detail)];
        const changed =
          at < outer.length
            ? { ...event, [outer[at]!]: value }
            : { ...event, detail: { ...detail, [inner[at % inner.length]!]: value } };
        expect(() => parse(changed)).not.toThrow();
      }),
    );
  });
});

describe.each(EVENTS_OF_KINDS)('an event of the kind $kind', ({ kind, event, needs }) => {
  const kindsIn = (given: unknown): readonly string[] | 'nothing' | 'unreadable' => {
    const parsed = parse(given);
    return !parsed.ok
      ? 'unreadable'
      : parsed.value.kind === 'announced'
        ? parsed.value.announcements.map(({ kind: of }) => of)
        : 'nothing';
  };
  const changed = (field: string, value: unknown): object => ({
    ...event,
    detail: { ...event.detail, [field]: value },
  });
  const others = Object.keys(event.detail).filter((field) => !needs.includes(field));
  const junk: readonly unknown[] = [null, 7, true, {}, [], [ID], '', 'x'.repeat(1e6), { [ID]: ID }];

  it('is read, of whatever account: whose instance it is, is looked up', () => {
    expect(kindsIn(event)).toEqual([kind]);
    expect(kindsIn({ ...event, account: '999999999999' })).toEqual([kind]);
    expect(kindsIn({ ...event, account: undefined, version: undefined, resources: undefined })).toEqual([kind]);
  });

  it('announces nothing where it is of another region', () => {
    expect(kindsIn({ ...event, region: 'eu-central-1' })).toBe('nothing');
  });

  it.each(needs)('is not readable without %s', (field) => {
    expect(kindsIn(changed(field, undefined))).toBe('unreadable');
  });

  it.each(needs)('announces nothing where %s is junk', (field) => {
    for (const value of junk) {
      expect(kindsIn(changed(field, value))).not.toEqual([kind]);
    }
  });

  // The two fields that state the kind of the notice are not drawn at random; the remaining fields may hold anything.
  it.each(others.filter((field) => !['instance-action', 'LifecycleTransition'].includes(field)))(
    'is read whatever %s is',
    (field) => {
      for (const value of [undefined, ...junk]) {
        expect(kindsIn(changed(field, value))).toEqual([kind]);
      }
    },
  );

  it('is read the same however often it comes', () => {
    expect(parse(structuredClone(event))).toEqual(parse(event));
  });
});
