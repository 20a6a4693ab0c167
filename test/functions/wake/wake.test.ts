import type { DynamoDBStreamEvent, EventBridgeEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { type GroupName, groupName, type InstanceId, instanceId } from '../../../core/model/values/names.ts';
import type { Terminations } from '../../../core/ports/terminations.ts';
import { createWake } from '../../../functions/wake/wake.ts';
import { EVENTS_OF_KINDS, INSTANCE_OF_EVENTS } from '../../providers/schema/events-of-instances.ts';
import { NOW } from '../../scenario-builders.ts';
import { invocation, testWorld, WEB } from '../test-world.ts';

const idOf = (n: number): string => `i-${n.toString(16).padStart(17, '0')}`;

const event = (type: string, detail: object, extra: object = {}) =>
  ({
    id: JSON.stringify([type, detail]).slice(0, 200),
    source: 'aws.ec2',
    'detail-type': type,
    region: 'us-east-1',
    time: new Date(NOW).toISOString(),
    detail,
    ...extra,
  }) as unknown as EventBridgeEvent<string, unknown>;
const interruption = (n: number) =>
  event('EC2 Spot Instance Interruption Warning', { 'instance-id': idOf(n), 'instance-action': 'terminate' });
const zoneShifted = event('Manual Shift Started', {}, { source: 'aws.arc-zonal-shift' });
const launchFailed = event('EC2 Instance Launch Unsuccessful', {}, { source: 'aws.autoscaling' });
/** Event of the table's stream: the inbox is read from the table. */
const arrived: DynamoDBStreamEvent = { Records: [{ eventName: 'INSERT' }] };

/** A world in which the cluster's group `spot` has these instances; with the look-ups that were made. */
function worldWith(own: readonly number[], others: readonly InstanceId[] = []) {
  const lookups: number[] = [];
  const members = new Map<InstanceId, GroupName>(
    [...own.map((n) => instanceId(idOf(n))), ...others].map((id) => [id, groupName('spot')]),
  );
  const base = testWorld();
  const terminations = {
    groupsOf: async (instances: readonly InstanceId[]) => {
      lookups.push(instances.length);
      return new Map(instances.flatMap((id) => (members.has(id) ? [[id, members.get(id)!] as const] : [])));
    },
  } as unknown as Terminations;
  const world = { ...base, terminations };
  const wake = createWake(world, WEB, 'us-east-1');
  return {
    world,
    lookups,
    receive: async (...events: readonly (EventBridgeEvent<string, unknown> | DynamoDBStreamEvent)[]) => {
      for (const one of events) {
        await wake(one, invocation());
      }
    },
    notices: async () => (await world.store.load(WEB)).notices ?? [],
  };
}

describe('a notice', () => {
  it('is a message on the event bus, once however often it is delivered', async () => {
    const { world, receive } = worldWith([1]);
    await receive(interruption(1), interruption(1), arrived, arrived, interruption(1), arrived);
    expect(world.sent.map(({ kind, instance }) => [kind, instance])).toEqual([['Interruption', idOf(1)]]);
  });

  it('about an instance of the cluster is stored, and has the cluster evaluated at once', async () => {
    const { world, receive, notices } = worldWith([1]);
    await receive(interruption(1));
    expect(await notices()).toEqual([]);
    expect(world.wakes).toEqual([]);
    await receive(arrived);
    expect(await notices()).toEqual([
      {
        instance: idOf(1),
        group: 'spot',
        kind: 'SpotInterruption',
        receivedAt: NOW,
        endsAt: NOW + 120_000,
        hook: null,
      },
    ]);
    expect(world.wakes).toEqual([{ cluster: 'web', attempt: 0, atOnce: true }]);
    expect(await world.inbox.list(WEB)).toEqual([]);
  });

  it('about an instance of another cluster, account or application costs one look-up, and ends there', async () => {
    const { world, lookups, receive, notices } = worldWith([1]);
    await receive(interruption(2), arrived, arrived);
    expect(await notices()).toEqual([]);
    expect(world.wakes).toEqual([]);
    expect(lookups).toEqual([1]);
    expect(world.lines.map(({ level }) => level)).toEqual(['debug']);
    expect(await world.inbox.list(WEB)).toEqual([]);
  });

  it('is looked up with all others that have arrived, and each instance once: 1,000 at a time, delivered twice', async () => {
    const many = Array.from({ length: 1_000 }, (_, n) => n);
    const { world, lookups, receive, notices } = worldWith(many.filter((n) => n % 2 === 0));
    await receive(...many.map(interruption), ...many.map(interruption));
    await receive(...many.map(() => arrived));
    expect(await notices()).toHaveLength(500);
    expect(lookups).toEqual([1_000]);
    expect(world.wakes).toHaveLength(1);
  });

  it('is kept for the next try where the look-up fails', async () => {
    const { world, receive, notices } = worldWith([1]);
    await receive(interruption(1));
    const terminations = { groupsOf: () => Promise.reject(new Error('AWS away')) } as unknown as Terminations;
    const failing = { ...world, terminations };
    await expect(createWake(failing, WEB)(arrived, invocation())).rejects.toThrow('AWS away');
    await receive(arrived);
    expect(await notices()).toHaveLength(1);
  });

  it.each([
    { name: 'is only observed', change: { dryRun: true } },
    { name: 'has no Auto Scaling groups', change: { terminations: undefined } },
  ])('wakes a cluster that $name, and is not stored', async ({ change }) => {
    const { world, lookups, notices } = worldWith([1]);
    const wake = createWake({ ...world, ...change }, WEB);
    await wake(interruption(1), invocation());
    await wake(arrived, invocation());
    expect(world.wakes).toEqual([{ cluster: 'web', attempt: 0 }]);
    expect([await notices(), await world.inbox.list(WEB), lookups]).toEqual([[], [], []]);
  });
});

describe.each(EVENTS_OF_KINDS)('an event of the kind $kind', ({ kind, event: given }) => {
  const instance = instanceId(INSTANCE_OF_EVENTS);
  const ofKind = given as unknown as EventBridgeEvent<string, unknown>;

  it('is one notice, however often it is delivered, and one more evaluation for each time that it is', async () => {
    const { world, receive, notices, lookups } = worldWith([], [instance]);
    await receive(ofKind, ofKind, ofKind, arrived, arrived);
    expect(await notices()).toMatchObject([{ instance, kind, group: 'spot' }]);
    expect(lookups).toEqual([1]);
    await receive(ofKind, arrived);
    expect(await notices()).toHaveLength(1);
    expect(world.wakes).toHaveLength(2);
  });

  it('about an instance of another cluster ends with its look-up', async () => {
    const { world, receive, notices, lookups } = worldWith([]);
    await receive(ofKind, arrived);
    expect([await notices(), world.wakes, lookups]).toEqual([[], [], [1]]);
  });
});

it('an event of another region is not looked up', async () => {
  const { world, lookups, receive } = worldWith([1]);
  await receive({ ...interruption(1), region: 'eu-central-1' }, arrived);
  expect(lookups).toEqual([]);
  expect(world.counts).toEqual(new Map());
});

it('an event that cannot be read is counted, logged with what was expected, and dropped', async () => {
  const { world, receive } = worldWith([1]);
  await receive(event('EC2 Spot Instance Interruption Warning', { 'instance-id': 'secret' }));
  expect(world.counts).toEqual(new Map([['UnreadableEvents', 1]]));
  expect(world.lines).toMatchObject([
    { level: 'warn', fields: { expected: expect.stringContaining('ID of an instance') } },
  ]);
  expect(JSON.stringify(world.lines)).not.toContain('secret');
  expect(await world.inbox.list(WEB)).toEqual([]);
});

describe('a launch that failed', () => {
  it.each([
    ['itself', launchFailed],
    ['and a zone that traffic is shifted away from', zoneShifted],
  ])('wakes the cluster: %s', async (_, given) => {
    const { world, receive } = worldWith([]);
    await receive(given);
    expect(world.wakes).toEqual([{ cluster: 'web', attempt: 0 }]);
  });

  it('rejects when the wake-up cannot be sent, so that it is delivered again', async () => {
    const world = { ...testWorld(), terminations: undefined, wake: () => Promise.reject(new Error('queue away')) };
    await expect(createWake(world, WEB)(launchFailed, invocation())).rejects.toThrow('queue away');
  });
});
