import { intentOf } from '../../providers/state-store.contract.ts';
import { describe, expect, it } from 'vitest';
import { addTime, epochMs, minutes, seconds } from '../../../core/model/values/time.ts';
import type { Options } from '../../../core/model/options.ts';
import { evaluateScaleUp } from '../../../core/evaluate.ts';
import { scaleUpHandler } from '../../../functions/scale-up/scale-up.ts';
import { createMemoryStore } from '../../../providers/memory/store.ts';
import { pod } from '../../builders.ts';
import { throwingAt } from '../../core/model/isolation/poison.ts';
import { group, NOW } from '../../scenario-builders.ts';
import { notification, invocation, sqsEvent, type TestWorld, testWorld, scan, WEB } from '../test-world.ts';

const waiting = (count: number) =>
  Array.from({ length: count }, (_, i) => pod(`p${i}`, { requests: { cpu: 3 }, owner: 'ReplicaSet/p' }));

const pendingWorld = (given: Parameters<typeof testWorld>[0] = {}) =>
  testWorld({ groups: [group('a')], objects: { pods: waiting(3) }, ...given });

const run = (world: TestWorld, ...bodies: readonly unknown[]) =>
  scaleUpHandler(world)(sqsEvent(...bodies), invocation());

const allWell = { batchItemFailures: [] };

const remembered = (world: TestWorld) => world.store.snapshot().get(WEB);

describe('scale-up', () => {
  it('turns pending pods into an intent for their group', async () => {
    const world = pendingWorld();
    expect(await run(world, notification)).toEqual(allWell);
    expect(remembered(world)).toMatchObject({
      version: 1,
      intents: [{ id: '1-a', kind: 'SetSize', group: 'a', from: 0, to: 3, status: 'pending', createdAt: NOW }],
      state: { lastScaleUp: NOW, scaleUpRequests: [{ group: 'a', increase: 3 }] },
    });
  });

  it('says in one line what was decided and why', async () => {
    const world = pendingWorld();
    await run(world, notification);
    const lines = world.lines.filter(({ level }) => level === 'info');
    expect(lines).toHaveLength(1);
    expect(lines[0]!.message).toMatch(/^web: 3 pending pods; scale up a 0 → 3; chose a of 1 group: /);
    expect(lines[0]!.fields).toMatchObject({ result: 'ScaledUp', outcomes: { Triggered: 3 } });
    expect(world.counts.get('ScaleUpNodes')).toBe(3);
  });

  it('logs the cost of the nodes by the prices that options state', async () => {
    const stated = { type: null, zone: null, capacityType: null, price: 0.1, covered: 2 };
    const world = pendingWorld({
      groups: [{ ...group('a', { target: 3 }), price: 0.2 }],
      options: { prices: [stated] },
    });
    await run(world, scan);
    expect(world.lines.find(({ fields }) => fields?.['costPerHour'] !== undefined)?.fields).toMatchObject({
      costPerHour: 0.4,
    });
  });

  it('decides nothing that is paused, and counts the pauses that do not end by themselves', async () => {
    const world = pendingWorld();
    const pause = { part: 'ScaleUp', group: null, until: null, cancelDrains: false } as const;
    await world.store.addPause(WEB, pause);
    await world.store.addPause(WEB, { ...pause, part: 'All', until: addTime(NOW, minutes(60)) });
    await run(world, scan);
    expect([world.counts.get('Paused'), remembered(world)!.intents]).toEqual([1, []]);
  });

  it('logs an unexpected error with its stack, counts it, and decides the rest', async () => {
    const odd = throwingAt(pod('odd', { namespace: 'evil' }), 'spec');
    const world = pendingWorld({ objects: { pods: [...waiting(3), odd] } });
    expect(await run(world, scan)).toEqual(allWell);
    expect(world.counts.get('UnexpectedErrors')).toBe(1);
    expect(world.counts.get('ScaleUpNodes')).toBe(3);
    expect(world.lines.filter(({ level }) => level === 'error')).toMatchObject([
      {
        message: 'web: ScaleUp failed for pod evil/odd, and goes on without it',
        fields: {
          pod: 'evil/odd',
          error: { name: 'UnexpectedError', stack: expect.stringContaining('at ') as string },
        },
      },
    ]);
  });

  it('evaluates once, however many wake-ups arrive together', async () => {
    const world = pendingWorld();
    expect(await run(world, notification, scan, notification, notification)).toEqual(allWell);
    expect(remembered(world)?.version).toBe(1);
  });

  it('sends the scans until the next one for a scan of the schedule, and for no other wake-up', async () => {
    const world = pendingWorld();
    const between = { cluster: WEB, due: new Date(NOW).toISOString() };
    await run(world, between, notification);
    expect([world.scanned, remembered(world)?.version]).toEqual([[], 1]);
    await run(world, scan);
    expect(world.scanned).toEqual([WEB]);
  });

  it('puts off a scan between two of the schedule until it is due', async () => {
    const world = pendingWorld();
    const { batchItemFailures } = await run(world, { cluster: WEB, due: new Date(NOW + 20_000).toISOString() });
    expect([batchItemFailures.length, world.redeliveries.map(({ seconds: after }) => after)]).toEqual([1, [20]]);
    expect(remembered(world)?.intents ?? []).toEqual([]);
  });

  it('evaluates though the scans until the next one cannot be sent', async () => {
    const world = { ...pendingWorld(), scanUntilNext: () => Promise.reject(new Error('SQS is away')) };
    expect(await run(world, scan)).toEqual(allWell);
    expect(remembered(world)?.intents).toHaveLength(1);
    expect(world.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
  });

  it('waits until the window of the newest wake-up is over', async () => {
    const world = pendingWorld();
    await run(world, { cluster: WEB, at: new Date(NOW + 10).toISOString() });
    expect(world.slept).toEqual([250]);
  });

  it('does not decide again what has been decided and is not set yet', async () => {
    const world = pendingWorld();
    await run(world, notification);
    world.time += 1_000;
    await run(world, notification);
    expect(remembered(world)?.intents.map(({ id }) => id)).toEqual(['1-a']);
  });

  it('adds to what has been decided', async () => {
    const world = pendingWorld();
    await run(world, notification);
    world.objects = { pods: waiting(5) };
    await run(world, notification);
    expect(remembered(world)?.intents).toMatchObject([
      { group: 'a', from: 0, to: 3 },
      { group: 'a', from: 3, to: 5 },
    ]);
  });

  it('reads little when a notification arrives and no pod waits', async () => {
    const world = testWorld({ groups: [group('a')] });
    world.readErrors.push(new Error('not to be read'));
    expect(await run(world, notification)).toEqual(allWell);
    expect(world.readErrors).toHaveLength(1);
    expect(remembered(world)).toBeUndefined();
  });

  it('evaluates on every scan, but writes no more than once a minute while nothing changes', async () => {
    const world = testWorld({ groups: [group('a')] });
    await run(world, scan);
    expect(remembered(world)?.version).toBe(1);
    world.time += 30_000;
    await run(world, scan);
    expect(remembered(world)?.version).toBe(1);
    world.time += 31_000;
    await run(world, scan);
    expect(remembered(world)?.version).toBe(2);
  });

  it('settles intents that have ended at once, though nothing else changes', async () => {
    const world = testWorld({ groups: [group('a')] });
    await run(world, scan);
    const { version, state } = await world.store.load(WEB);
    const decision = (await world.store.lastDecision(WEB))!;
    const intent = { ...intentOf(2, 'a', { from: 0, to: 0 }), createdAt: NOW, drained: [] };
    const commit = { now: world.now(), state, settled: [], decision, intents: [intent] };
    await world.store.commit(WEB, { expectedVersion: version, ...commit });
    await world.store.endIntent(WEB, intent.id, { status: 'done', outcome: null });
    world.time += 1_000;
    await run(world, scan);
    expect(await world.store.load(WEB)).toMatchObject({ version: version + 2, intents: [] });
  });

  it('writes at once what a new pod waits for, though nothing else changes, and then no more than usual', async () => {
    const hopeless = (name: string, since: number) =>
      pod(name, { requests: { cpu: 99 }, unscheduled: { reason: 'Unschedulable', since: epochMs(since) } });
    const told = async () => (await world.store.lastDecision(WEB))?.scaleUp.pods.map((one) => one.pod);
    const first = hopeless('first', NOW - 1_000);
    const world = testWorld({ groups: [group('a')], objects: { pods: [first] } });
    await run(world, scan);
    world.time += 90_000;
    await run(world, scan);
    expect(await told()).toEqual(['default/first']);
    const { version } = remembered(world)!;
    world.time += 10_000;
    await run(world, scan);
    expect(remembered(world)?.version).toBe(version);
    world.objects = { pods: [first, hopeless('second', world.time)] };
    world.time += 10_000;
    await run(world, scan);
    expect(await told()).toEqual(['default/first', 'default/second']);
  });

  it('changes nothing in a dry run, but says what it would do', async () => {
    const world = pendingWorld({ dryRun: true });
    await run(world, scan);
    expect([...world.store.snapshot()]).toMatchObject([
      ['web/dry-run', { intents: [], state: { scaleUpRequests: [], lastScaleUp: null } }],
    ]);
    expect([world.groups.calls, world.nodeChanges]).toEqual([[], []]);
    expect(world.lines.map(({ message }) => message).join('\n')).toMatch(/scale up a 0 → 3.*\(dry run\)/);
  });

  it('leaves a group alone that has failed', async () => {
    const world = pendingWorld();
    await run(world, notification);
    await world.store.endIntent(WEB, '1-a', {
      status: 'failed',
      outcome: { message: 'no instances', class: 'OutOfResources' },
    });
    await run(world, notification);
    expect(remembered(world)).toMatchObject({
      intents: [],
      state: { scaleUpRequests: [], backoff: { a: { class: 'OutOfResources', lastFailure: NOW } } },
    });
  });
});

describe('delayed evaluations', () => {
  const DELAY = 'cluster-autoscaler.kubernetes.io/pod-scale-up-delay';
  const young = (age: number, delay: string) =>
    pod(`young-${age}`, { requests: { cpu: 3 }, createdAt: epochMs(NOW - age), annotations: { [DELAY]: delay } });
  const due = (seconds: number): string => new Date(NOW + seconds * 1_000).toISOString();

  it.each([
    { name: 'when the first of the young pods is old enough', pods: [young(1_000, '10s'), young(2_000, '10s')], at: 8 },
    { name: 'for pods that have a place, ten seconds later', pods: [young(20_000, '10s'), ...waiting(1)], at: 10 },
    { name: 'not for pods that fit no group', pods: [pod('large', { requests: { cpu: 64 } })], at: null },
    { name: 'not where the next scan comes first', pods: [young(0, '5m')], at: null },
  ])('are requested $name', async ({ pods, at }) => {
    for (const body of [notification, scan]) {
      const world = testWorld({ groups: [group('a')], objects: { pods } });
      expect(await run(world, body)).toEqual(allWell);
      expect(world.laterWakes.map(({ due: time }) => time)).toEqual(at === null ? [] : [NOW + at * 1_000]);
    }
  });

  it('are not requested by a dry run, which brings no pod to a node', async () => {
    const world = testWorld({ groups: [group('a')], objects: { pods: waiting(1) }, dryRun: true });
    await run(world, notification);
    expect(world.laterWakes).toEqual([]);
  });

  it('wait in the queue until they are due, and hold up nothing', async () => {
    const world = pendingWorld();
    expect(await run(world, { ...notification, due: due(5) }, notification)).toEqual({
      batchItemFailures: [{ itemIdentifier: 'm1' }],
    });
    expect(world.redeliveries).toEqual([{ receiptHandle: 'r1', seconds: 5 }]);
    expect(world.counts.get('FailedEvaluations')).toBeUndefined();
    expect(remembered(world)?.version).toBe(1);
  });

  it('are evaluations like any other when they are due', async () => {
    const world = pendingWorld();
    expect(await run(world, { ...notification, due: due(0) })).toEqual(allWell);
    expect(remembered(world)?.version).toBe(1);
  });
});

describe('rechecks', () => {
  const unseen = pod('new', { unscheduled: null });

  it.each([
    { name: 'a notification arrived and no pod waits yet', pods: [] },
    { name: 'a notification arrived and no scheduler has evaluated a pod yet', pods: [...waiting(1), unseen] },
  ])('follow when $name', async ({ pods }) => {
    const world = testWorld({ groups: [group('a')], objects: { pods } });
    await run(world, notification);
    expect(world.wakes).toEqual([{ cluster: 'web', attempt: 1 }]);
  });

  it('come to an end', async () => {
    const world = testWorld();
    await run(world, { ...notification, attempt: 2 });
    await run(world, { ...notification, attempt: 3 });
    expect(world.wakes).toEqual([{ cluster: 'web', attempt: 3 }]);
  });

  it.each([
    { name: 'a scan', body: scan, pods: [unseen] },
    { name: 'an evaluation that saw everything', body: notification, pods: waiting(2) },
    {
      name: 'pods that are held back by a gate',
      body: notification,
      pods: [...waiting(1), pod('gated', { unscheduled: null, spec: { schedulingGates: ['wait'] } })],
    },
  ])('do not follow $name', async ({ body, pods }) => {
    const world = testWorld({ groups: [group('a')], objects: { pods } });
    await run(world, body);
    expect(world.wakes).toEqual([]);
  });
});

describe('an evaluation that adds as many nodes as it may', () => {
  const BURST = 7;
  const limited = (options: Partial<Options> = {}, given: Parameters<typeof testWorld>[0] = {}) =>
    pendingWorld({ options: { maxNodesPerScaleup: 3, ...options }, objects: { pods: waiting(BURST) }, ...given });
  const targets = (world: TestWorld) =>
    remembered(world)?.intents.flatMap((intent) => (intent.kind === 'SetSize' ? [intent.to] : []));

  it.each([
    ['a wake-up', notification],
    ['a scan', scan],
  ])('after %s is followed by the next at once, until all pods have theirs', async (_, body) => {
    const world = limited();
    await run(world, body);
    expect(world.wakes).toEqual([{ cluster: 'web', attempt: 0 }]);
    for (let i = 0; i < 5; i += 1) {
      const [wake, ...others] = world.wakes.splice(0);
      expect(others).toEqual([]);
      if (wake !== undefined) {
        world.time += 500;
        await run(world, { cluster: wake.cluster, at: new Date(world.time).toISOString() });
      }
    }
    expect(targets(world)).toEqual([3, 6, 7]);
    expect(world.wakes).toEqual([]);
  });

  it('is followed by none that would have nothing to buy', async () => {
    const world = limited({}, { groups: [group('a', { max: 3 })] });
    await run(world, notification);
    world.wakes.splice(0);
    world.time += 500;
    await run(world, { cluster: WEB, at: new Date(world.time).toISOString() });
    expect(targets(world)).toEqual([3]);
    expect(world.wakes).toEqual([]);
  });

  it('is not one that buys nothing yet, whatever waits', async () => {
    const young = waiting(BURST).map((one) => ({ ...one, createdAt: NOW }));
    const world = limited({ unschedulablePodTimeBuffer: seconds(10) }, { objects: { pods: young } });
    await run(world, scan);
    expect(remembered(world)?.intents).toEqual([]);
    expect(world.wakes).toEqual([]);
    expect(world.laterWakes).toHaveLength(1);
  });

  it('of a dry run is followed by none: it would decide the same', async () => {
    const world = limited({}, { dryRun: true });
    await run(world, notification);
    expect(world.wakes).toEqual([]);
  });
});

describe('messages', () => {
  it.each(['nonsense', { cluster: 'unknown' }, { at: 'x' }])('like %j are reported and dropped', async (body) => {
    const world = pendingWorld();
    expect(await run(world, body, notification)).toEqual(allWell);
    expect(world.counts.get('MalformedWakeUps')).toBe(1);
    expect(remembered(world)?.version).toBe(1);
  });

  it('come back, all of the cluster, and soon, when the cluster cannot be read; the next wake-up repairs', async () => {
    const world = pendingWorld();
    world.readErrors.push(new Error('connection refused'));
    expect(await run(world, notification, scan)).toEqual({
      batchItemFailures: [{ itemIdentifier: 'm1' }, { itemIdentifier: 'm2' }],
    });
    expect(world.redeliveries).toEqual([
      { receiptHandle: 'r1', seconds: 2 },
      { receiptHandle: 'r2', seconds: 2 },
    ]);
    expect(remembered(world)).toBeUndefined();
    expect(await run(world, notification, scan)).toEqual(allWell);
    expect(remembered(world)?.intents).toMatchObject([{ group: 'a', to: 3 }]);
  });

  it('come back although bringing them forward fails', async () => {
    const world = pendingWorld();
    world.readErrors.push(new Error('connection refused'));
    const scaleUp = scaleUpHandler({ ...world, redeliverAfter: () => Promise.reject(new Error('queue away')) });
    expect(await scaleUp(sqsEvent(notification), invocation())).toEqual({
      batchItemFailures: [{ itemIdentifier: 'm1' }],
    });
  });

  it('are received ever later, up to a minute', async () => {
    const world = pendingWorld();
    for (const received of [1, 2, 5, 9]) {
      world.readErrors.push(new Error('connection refused'));
      const event = sqsEvent(notification);
      event.Records[0]!.attributes.ApproximateReceiveCount = String(received);
      await scaleUpHandler(world)(event, invocation());
    }
    expect(world.redeliveries.map(({ seconds }) => seconds)).toEqual([2, 4, 32, 60]);
  });
});

describe('two evaluations at once', () => {
  it('give one result: the later one evaluates again and finds nothing left to do', async () => {
    const store = createMemoryStore();
    const [one, other] = [pendingWorld({ store }), pendingWorld({ store })];
    const results = await Promise.all([run(one, notification), run(other, notification)]);
    expect(results).toEqual([allWell, allWell]);
    expect((one.counts.get('VersionConflicts') ?? 0) + (other.counts.get('VersionConflicts') ?? 0)).toBe(1);
    expect(remembered(one)?.intents).toMatchObject([{ group: 'a', from: 0, to: 3 }]);
    expect(remembered(one)?.state.scaleUpRequests).toMatchObject([{ group: 'a', increase: 3 }]);
  });

  it('for a time that has come leave the rest to the other one', async () => {
    const store = createMemoryStore();
    const [one, other] = [pendingWorld({ store }), pendingWorld({ store })];
    const [at, due] = [-3_000, -1_000].map((ms) => new Date(NOW + ms).toISOString());
    let decisions = 0;
    const decide: typeof evaluateScaleUp = (...given) => {
      decisions += 1;
      return evaluateScaleUp(...given);
    };
    const timed = sqsEvent({ cluster: WEB, at, due, attempt: 3 });
    await Promise.all([run(one, notification), scaleUpHandler(other, decide)(timed, invocation())]);
    expect([other.counts.get('VersionConflicts'), decisions]).toEqual([1, 1]);
    expect(await scaleUpHandler(other, decide)(timed, invocation())).toEqual(allWell);
    expect(decisions).toBe(1);
    // A wake-up that stands for a notification is answered by an evaluation of its own.
    await scaleUpHandler(other, decide)(sqsEvent({ cluster: WEB, at, due }), invocation());
    expect(decisions).toBe(2);
  });

  it('end in a redelivery when another evaluation is always first', async () => {
    const world = pendingWorld();
    const contested = { ...world, store: { ...world.store, commit: async () => ({ kind: 'conflict' }) as const } };
    expect(await scaleUpHandler(contested)(sqsEvent(notification), invocation())).toEqual({
      batchItemFailures: [{ itemIdentifier: 'm1' }],
    });
    expect(world.counts.get('VersionConflicts')).toBe(5);
  });
});
