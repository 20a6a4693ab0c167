import type { DynamoDBStreamEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import type { Decision } from '../../../core/model/decision.ts';
import { groupName } from '../../../core/model/values/names.ts';
import type { SetSizeOutcome } from '../../../core/model/answers.ts';
import { evaluate } from '../../../core/evaluate.ts';
import { EMPTY_STATE } from '../../../core/model/state.ts';
import { addTime, epochMs, minutes, seconds } from '../../../core/model/values/time.ts';
import { MAX_RECHECKS } from '../../../core/wakeups/wake-up.ts';
import { CLAIM, createActuate } from '../../../functions/actuate/actuate.ts';
import { drainOf } from '../../providers/drain-store.contract.ts';
import { group, NOW, scenario, sizeIntent } from '../../scenario-builders.ts';
import { invocation, type TestWorld, testWorld, WEB } from '../test-world.ts';

const decision: Decision = evaluate(scenario({}));

/** Record of a new intent in the table's stream: keys, nothing else. */
const record = (pk = 'CLUSTER#web', sk = 'INTENT#1#0') => ({
  eventName: 'INSERT' as const,
  dynamodb: { Keys: { pk: { S: pk }, sk: { S: sk } } },
});
const stream: DynamoDBStreamEvent = { Records: [record()] };

const run = (world: TestWorld, event: Parameters<ReturnType<typeof createActuate>>[0] = stream) =>
  createActuate(world)(event, invocation());

async function decide(world: TestWorld, ...sizes: readonly (readonly [string, number, number])[]): Promise<void> {
  const { version } = await world.store.load(WEB);
  const intents = sizes.map(([name, from, to]) => sizeIntent(name, from, to, { id: `${version + 1}-${name}` }));

  await world.store.commit(WEB, {
    expectedVersion: version,
    now: NOW,
    state: EMPTY_STATE,
    intents,
    settled: [],
    decision,
  });
}

const endings = async (world: TestWorld) =>
  (await world.store.load(WEB)).intents.map(({ id, status, outcome }) => [id, status, outcome?.message ?? null]);

const failure = (kind: 'Throttled' | 'Quota' | 'Timeout' | 'Other'): SetSizeOutcome => ({
  kind: 'failed',
  class: kind,
  code: kind,
  message: 'no',
});

describe('actuate', () => {
  it('sets the size that was decided', async () => {
    const world = testWorld({ groups: [group('a')] });
    await decide(world, ['a', 0, 3]);
    await run(world);
    expect(world.groups.calls).toEqual([['a', 3]]);
    expect(await endings(world)).toEqual([['1-a', 'done', null]]);
    expect(world.wakes).toEqual([]);
  });

  it('has the cluster evaluated when the size that was set is shown, long before the end of the claim', async () => {
    const world = testWorld({ groups: [group('a'), group('b', { target: 1 })] });
    await decide(world, ['a', 0, 3], ['b', 2, 3]);
    await run(world);
    const shownBy = addTime(NOW, seconds(12));
    const ended = (await world.store.load(WEB)).intents.map(({ status, claimedUntil }) => [status, claimedUntil]);
    expect(ended).toEqual([
      ['done', shownBy],
      ['refused', addTime(NOW, CLAIM)],
    ]);
    expect(world.laterWakes).toEqual([{ cluster: WEB, due: shownBy, attempt: MAX_RECHECKS }]);
  });

  it('believes in a size no longer than its claim lasts', async () => {
    const world = testWorld({ groups: [group('a')] });
    await decide(world, ['a', 0, 3]);
    await createActuate(world, seconds(5))(stream, invocation());
    expect((await world.store.load(WEB)).intents).toMatchObject([{ claimedUntil: addTime(NOW, seconds(5)) }]);
  });

  it('has set the size though no wake-up can be sent', async () => {
    const world = testWorld({ groups: [group('a')] });
    await decide(world, ['a', 0, 3]);
    const wakeAt = (): Promise<never> => Promise.reject(new Error('the queue is away'));
    await createActuate({ ...world, wakeAt })(stream, invocation());
    expect(await endings(world)).toEqual([['1-a', 'done', null]]);
    expect(world.lines.some(({ message }) => message.includes('the size that was set could not be sent'))).toBe(true);
  });

  it('does it once, however often and at the same time it is told', async () => {
    const world = testWorld({ groups: [group('a'), group('b')] });
    await decide(world, ['a', 0, 3], ['b', 0, 1]);
    await Promise.all([run(world), run(world, { Records: [record(), record()] }), run(world, { resume: 'web' })]);
    await run(world);
    expect(new Map(world.groups.calls)).toEqual(
      new Map<string, number>([
        ['a', 3],
        ['b', 1],
      ]),
    );
    expect(world.groups.calls).toHaveLength(2);
  });

  it('takes up an intent again whose claim was made and not answered', async () => {
    const world = testWorld({ groups: [group('a')] });
    await decide(world, ['a', 0, 3]);
    const { store } = world;
    const claimIntent: typeof store.claimIntent = async (...call) => {
      await store.claimIntent(...call);
      throw new Error('the answer was lost');
    };
    await expect(run({ ...world, store: { ...store, claimIntent } })).rejects.toThrow('1 intents are left');
    await run(world);
    expect(await endings(world)).toEqual([['1-a', 'done', null]]);
  });

  it('finishes an intent whose claim ran out after the size was set', async () => {
    const world = testWorld({ groups: [group('a')] });
    await decide(world, ['a', 0, 3]);
    await world.store.claimIntent(WEB, '1-a', { now: NOW, until: epochMs(NOW + CLAIM) });
    world.groups.resize(groupName('a'), 3);
    await run(world);
    expect(await endings(world)).toEqual([['1-a', 'pending', null]]);
    world.time += CLAIM;
    await run(world, { resume: 'web' });
    expect(await endings(world)).toEqual([['1-a', 'done', null]]);
    expect(world.groups.calls).toEqual([]);
  });

  it.each([
    [
      'its drain has ended an instance since',
      { group: groupName('a'), terminateAskedAt: addTime(NOW, minutes(1)) },
      0,
      [],
    ],
    [
      'a drain of another group has',
      { group: groupName('b'), terminateAskedAt: addTime(NOW, minutes(1)) },
      0,
      [['a', 3]],
    ],
    ['a drain has before it was decided', { terminateAskedAt: epochMs(NOW - minutes(5)) }, 0, [['a', 3]]],
    ['a drain has not come so far', { terminateAskedAt: null }, 0, [['a', 3]]],
    ['drains of that time may have been forgotten', null, 10, []],
  ])('may have been set by a function that was ended: %s', async (_what, drain, later, calls) => {
    const world = testWorld({ groups: [group('a', { target: 2 })] });
    await decide(world, ['a', 2, 3]);
    await world.store.claimIntent(WEB, '1-a', { now: NOW, until: epochMs(NOW + CLAIM) });
    if (drain !== null) {
      const change = { drain: drainOf('n1', drain), attempt: 1, drivenUntil: NOW };
      await world.drains.create(WEB, change);
    }
    world.time += CLAIM + minutes(later);
    await run(world);
    expect(world.groups.calls).toEqual(calls);
    const [intent] = (await world.store.load(WEB)).intents;
    expect(intent!.status).toBe(calls.length > 0 ? 'done' : 'refused');
  });

  it.each([
    ['has taken the instance meanwhile', 1, 'Terminating' as const, [], true],
    ['has let it go first', 2, 'Terminating' as const, [['a', 3]], true],
    ['has given up', 2, 'RolledBack' as const, [['a', 3]], false],
    ['has taken it, and the list does not show it', 1, 'Removed' as const, [], true],
  ])(
    'reads the group again when a drain is about to take an instance: one that %s',
    async (_, target, phase, calls, waits) => {
      const world = testWorld({ groups: [group('a', { target: 2 })] });
      await decide(world, ['a', 2, 3]);
      const drain = drainOf('n1', { group: groupName('a'), phase, terminateAskedAt: NOW });
      await world.drains.create(WEB, { drain, attempt: 1, drivenUntil: NOW });
      const sleep = async (ms: number): Promise<void> => {
        world.slept.push(ms);
        world.groups.resize(groupName('a'), target);
      };
      await createActuate({ ...world, sleep })({ resume: 'web' }, invocation()).catch(() => undefined);
      expect(world.groups.calls).toEqual(calls);
      expect(world.slept).toHaveLength(waits ? 1 : 0);
      const [intent] = (await world.store.load(WEB)).intents;
      expect(intent!.status).toBe(calls.length > 0 ? 'done' : 'refused');
    },
  );

  it('is not set a second time when its answer was lost and a drain has ended an instance since', async () => {
    const world = testWorld({ groups: [group('a', { target: 2 })] });
    await decide(world, ['a', 2, 3]);
    const drain = drainOf('n1', { phase: 'Removed', terminateAskedAt: addTime(NOW, seconds(1)) });
    const unanswered = {
      ...world.groups,
      setSize: async (...call: Parameters<typeof world.groups.setSize>) => {
        await world.groups.setSize(...call);
        // It has taken effect; then the drain has taken an instance from the group.
        world.groups.resize(groupName('a'), 2);
        await world.drains.create(WEB, { drain, attempt: 1, drivenUntil: NOW });
        return failure('Timeout');
      },
    };
    await createActuate({ ...world, cluster: () => ({ ...world.cluster(WEB)!, groups: unanswered }) })(
      stream,
      invocation(),
    );
    expect(world.groups.calls).toEqual([['a', 3]]);
    expect(await endings(world)).toMatchObject([['1-a', 'refused', expect.stringContaining('may have been set')]]);
  });

  it('is not done because a description shows the size from before the change before', async () => {
    const world = testWorld({ groups: [group('a', { target: 3 })] });
    const shown = [{ min: 0, max: 10, target: 1, held: 1 }];
    const stale = {
      ...world.groups,
      readSize: async (...call: Parameters<typeof world.groups.readSize>) =>
        shown.shift() ?? (await world.groups.readSize(...call)),
    };
    await decide(world, ['a', 3, 1]);
    await createActuate({ ...world, cluster: () => ({ ...world.cluster(WEB)!, groups: stale }) })(
      { resume: 'web' },
      invocation(),
    );
    expect(world.groups.calls).toEqual([['a', 1]]);
    expect(await endings(world)).toEqual([['1-a', 'done', null]]);
  });

  it('carries out an intent that was claimed and never begun, once the claim is over', async () => {
    const world = testWorld({ groups: [group('a')] });
    await decide(world, ['a', 0, 3]);
    await world.store.claimIntent(WEB, '1-a', { now: NOW, until: epochMs(NOW + CLAIM) });
    world.time += CLAIM;
    await run(world, { resume: 'web' });
    expect(world.groups.calls).toEqual([['a', 3]]);
  });

  describe('while something is paused', () => {
    const pause = { part: 'All', group: null, until: null, cancelDrains: false, source: 'Command' } as const;

    it.each([
      ['everything', {}, []],
      ['scale-up', { part: 'ScaleUp' as const }, [['b', 1]]],
      ['scale-down', { part: 'ScaleDown' as const }, [['a', 3]]],
      ['a node group', { group: groupName('a') }, [['b', 1]]],
      [
        'something that has ended',
        { until: NOW },
        [
          ['a', 3],
          ['b', 1],
        ],
      ],
    ])('sets no size that it holds back: %s', async (_, of, calls) => {
      const world = testWorld({ groups: [group('a'), group('b', { target: 2 })] });
      await decide(world, ['a', 0, 3], ['b', 2, 1]);
      await world.store.addPause(WEB, { ...pause, ...of });
      await run(world);
      expect(new Map(world.groups.calls)).toEqual(new Map(calls as [string, number][]));
      const refused = (await endings(world)).filter(([, status]) => status === 'refused');
      expect(refused).toHaveLength(2 - calls.length);
      expect(refused.every(([, , message]) => message!.includes('until it is resumed, by outrigger pause'))).toBe(true);
    });

    it('does not try again what the cloud throttles', async () => {
      const world = testWorld({ groups: [group('a')] });
      await decide(world, ['a', 0, 3]);
      let tries = 0;
      const throttled = {
        ...world.groups,
        setSize: async () => {
          tries += 1;
          return failure('Throttled');
        },
      };
      const sleep: TestWorld['sleep'] = async (...waiting) => {
        await world.sleep(...waiting);
        await world.store.addPause(WEB, pause);
      };
      await createActuate({ ...world, sleep, cluster: () => ({ ...world.cluster(WEB)!, groups: throttled }) })(
        stream,
        invocation(),
      );
      expect(tries).toBe(1);
      expect(await endings(world)).toMatchObject([['1-a', 'refused', expect.stringContaining('is paused')]]);
    });
  });

  it('refuses when the target has changed, says so and requests an evaluation', async () => {
    const world = testWorld({ groups: [group('a', { target: 2 })] });
    await decide(world, ['a', 0, 3]);
    await run(world);
    expect(world.groups.calls).toEqual([]);
    expect(await endings(world)).toEqual([['1-a', 'refused', 'the target is now 2, decided from 0']]);
    expect(world.wakes).toEqual([{ cluster: 'web', attempt: 0 }]);
  });

  it.each([
    { name: 'of the number of nodes', options: { maxNodesTotal: 9 }, to: 1, wakes: 1 },
    { name: 'of cores', options: { coresTotal: { min: 0, max: 64 } }, to: 1, wakes: 1 },
    { name: 'of memory', options: { memoryTotal: { min: 0, max: 64 } }, to: 1, wakes: 1 },
    { name: 'of GPUs', options: { gpuTotal: [{ type: 't4', min: 0, max: 4 }] }, to: 1, wakes: 1 },
    { name: 'but not when it grows', options: { maxNodesTotal: 9 }, to: 3, wakes: 0 },
    { name: 'and no other one', options: {}, to: 1, wakes: 0 },
  ])('evaluates a cluster with limits again when a smaller size has been set: $name', async (given) => {
    const world = testWorld({ groups: [group('a', { target: 2 })], options: given.options });
    await decide(world, ['a', 2, given.to]);
    await run(world);
    expect(world.groups.calls).toEqual([['a', given.to]]);
    expect(world.wakes).toHaveLength(given.wakes);
  });

  it.each([
    { name: 'grows no group that has failed since that was decided', since: 0, to: 3, made: [], ending: 'refused' },
    { name: 'grows a group that had failed before', since: -1, to: 3, made: [['a', 3]], ending: 'done' },
    { name: 'lowers a group that has failed', since: 0, to: 0, made: [['a', 0]], ending: 'done' },
    { name: 'is done with what was made before the failure', since: 0, to: 2, made: [], ending: 'done' },
  ])('$name', async ({ since, to, made, ending }) => {
    const world = testWorld({ groups: [group('a', { target: to === 2 ? 2 : 1 })] });
    await decide(world, ['a', 1, to]);
    const { version } = await world.store.load(WEB);
    await world.store.commit(WEB, {
      expectedVersion: version,
      now: NOW,
      state: {
        ...EMPTY_STATE,
        backoff: {
          [groupName('a')]: {
            until: epochMs(NOW + 300_000),
            duration: minutes(5),
            lastFailure: epochMs(NOW + since),
            class: 'Quota',
          },
        },
      },
      intents: [],
      settled: [],
      decision,
    });
    await run(world);
    expect(world.groups.calls).toEqual(made);
    expect((await endings(world)).map(([, status]) => status)).toEqual([ending]);
  });

  it('keeps the class of a failure, and requests an evaluation', async () => {
    const world = testWorld({ groups: [group('a')] });
    world.groups.failures.push(failure('Quota'));
    await decide(world, ['a', 0, 3]);
    await run(world);
    const { intents } = await world.store.load(WEB);
    expect(intents).toMatchObject([{ status: 'failed', outcome: { class: 'Quota', message: 'Quota: no' } }]);
    expect(world.wakes).toHaveLength(1);
  });

  it('tries again while the cloud throttles', async () => {
    const world = testWorld({ groups: [group('a')] });
    world.groups.failures.push(failure('Throttled'), failure('Throttled'));
    await decide(world, ['a', 0, 3]);
    await run(world);
    expect(world.slept).toEqual([1_000, 2_000]);
    expect(await endings(world)).toEqual([['1-a', 'done', null]]);
  });

  it.each(['Timeout', 'Other'] as const)(
    'reads the group again after a failure that leaves the effect open (%s): what has taken effect is not called failed',
    async (kind) => {
      const world = testWorld({ groups: [group('a')] });
      const lossy = {
        ...world.groups,
        setSize: async (...call: Parameters<typeof world.groups.setSize>) => {
          await world.groups.setSize(...call);
          return failure(kind);
        },
      };
      await decide(world, ['a', 0, 3]);
      await createActuate({ ...world, cluster: () => ({ ...world.cluster(WEB)!, groups: lossy }) })(
        { resume: 'web' },
        invocation(),
      );
      expect(world.groups.calls).toEqual([['a', 3]]);
      expect(await endings(world)).toEqual([['1-a', 'done', null]]);
    },
  );

  it('calls failed what was not answered and has not taken effect, after three more tries and a last read', async () => {
    const world = testWorld({ groups: [group('a')] });
    world.groups.failures.push(...Array.from({ length: 9 }, () => failure('Timeout')));
    await decide(world, ['a', 0, 3]);
    await run(world);
    expect(world.groups.failures).toHaveLength(5);
    expect(world.slept).toEqual([1_000, 3_000, 5_000, 5_000]);
    expect(await endings(world)).toEqual([['1-a', 'failed', 'Timeout: no']]);
  });

  it('leaves an intent pending that stays throttled, and rejects so that it is delivered again', async () => {
    const world = testWorld({ groups: [group('a'), group('b')] });
    world.groups.failures.push(...Array.from({ length: 5 }, () => failure('Throttled')));
    await decide(world, ['a', 0, 3]);
    await expect(run(world)).rejects.toThrow('1 intents are left');
    expect(await endings(world)).toEqual([['1-a', 'pending', null]]);
    // The redelivery finds it free at once.
    await run(world);
    expect(await endings(world)).toEqual([['1-a', 'done', null]]);
  });

  it('gives up what has failed again and again for no known reason', async () => {
    const world = testWorld({ groups: [group('a')] });
    const broken = {
      ...world,
      cluster: () => ({
        ...world.cluster(WEB)!,
        groups: { ...world.groups, readSize: () => Promise.reject(new Error('connection reset')) },
      }),
    };
    await decide(world, ['a', 0, 3]);
    for (let attempt = 1; attempt <= 20; attempt += 1) {
      await expect(createActuate(broken)({ resume: 'web' }, invocation())).rejects.toThrow('intents are left');
      world.time += seconds(10);
    }
    world.time += seconds(100);
    await createActuate(broken)({ resume: 'web' }, invocation());
    expect(await endings(world)).toEqual([['1-a', 'failed', 'failed after 21 attempts: connection reset']]);
  });

  it('does one bad group no favour and the others no harm', async () => {
    const world = testWorld({ groups: [group('b')] });
    await decide(world, ['gone', 0, 3], ['b', 0, 2]);
    await run(world);
    expect(world.groups.calls).toEqual([['b', 2]]);
    expect(await endings(world)).toEqual([
      ['1-b', 'done', null],
      ['1-gone', 'refused', 'the group is gone'],
    ]);
  });

  it('sets the sizes of many groups at the same time, but not of all', async () => {
    const names = Array.from({ length: 30 }, (_, i) => `g${i}`);
    const world = testWorld({ groups: names.map((name) => group(name)) });
    await decide(world, ...names.map((name) => [name, 0, 1] as const));
    await run(world);
    expect(world.groups.calls).toHaveLength(30);
    expect(world.groups.busiest).toBe(8);
  });

  it('works on the intents of one group in the order of their decisions', async () => {
    const world = testWorld({ groups: [group('a')] });
    // Nine, ten and eleven: an order of names would take the tenth first.
    for (let version = 1; version <= 8; version += 1) {
      await decide(world);
    }
    await decide(world, ['a', 0, 1]);
    await decide(world, ['a', 1, 4]);
    await decide(world, ['a', 4, 5]);
    await run(world);
    expect(world.groups.calls).toEqual([
      ['a', 1],
      ['a', 4],
      ['a', 5],
    ]);
  });

  it('does not take a later intent before one that another function holds, which then takes both', async () => {
    const world = testWorld({ groups: [group('a')] });
    await decide(world, ['a', 0, 1]);
    const first = run(world);
    await decide(world, ['a', 1, 2]);
    await run(world);
    await first;
    expect(world.groups.calls).toEqual([
      ['a', 1],
      ['a', 2],
    ]);
    expect((await endings(world)).map(([, status]) => status)).toEqual(['done', 'done']);
  });

  it.each([
    { name: 'other items of the table', event: { Records: [record('CLUSTER#web', 'STATE')] } },
    { name: 'clusters of no concern', event: { Records: [record('CLUSTER#other')] } },
    { name: 'records without keys', event: { Records: [{ eventName: 'INSERT' as const }] } },
  ])('leaves $name alone', async ({ event }) => {
    const world = testWorld({ groups: [group('a')] });
    await decide(world, ['a', 0, 3]);
    await run(world, event);
    expect(world.groups.calls).toEqual([]);
  });

  it('does nothing in a dry run', async () => {
    const world = testWorld({ groups: [group('a')], dryRun: true });
    await decide(world, ['a', 0, 3]);
    await run(world);
    expect(world.groups.calls).toEqual([]);
  });
});
