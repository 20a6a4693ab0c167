import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../core/evaluate.ts';
import { groupName, instanceId } from '../../../core/model/values/names.ts';
import type { TerminateOutcome, WithdrawOutcome } from '../../../core/model/answers.ts';
import { EMPTY_STATE } from '../../../core/model/state.ts';
import { epochMs } from '../../../core/model/values/time.ts';
import { CLAIM, createActuate } from '../../../functions/actuate/actuate.ts';
import { group, NOW, running, scenario } from '../../scenario-builders.ts';
import { invocation, type TestWorld, testWorld, WEB } from '../test-world.ts';

const decision = evaluate(scenario({}));
const run = (world: TestWorld) => createActuate(world)({ resume: 'web' }, invocation());

/** A world with instances `i-1` … in group `a`, of which these are to be ended. */
async function worldWith(
  target: number,
  instances: readonly string[],
  {
    min = 0,
    force = false,
    growth,
  }: { readonly min?: number; readonly force?: boolean; readonly growth?: [number, number] } = {},
): Promise<TestWorld> {
  const members = Array.from({ length: target }, (_, i) => running(`i-${i + 1}`, null));
  const world = testWorld({ groups: [group('a', { min, target, instances: members })] });
  const common = {
    group: groupName('a'),
    createdAt: NOW,
    status: 'pending',
    attempts: 0,
    claimedUntil: null,
    outcome: null,
  } as const;
  await world.store.commit(WEB, {
    expectedVersion: 0,
    now: NOW,
    state: EMPTY_STATE,
    intents: [
      { ...common, id: '1-a', kind: 'DeleteInstances', instances: instances.map(instanceId), force },
      ...(growth === undefined
        ? []
        : [{ ...common, id: '1.1-a', kind: 'SetSize' as const, from: growth[0], to: growth[1], drained: [] }]),
    ],
    settled: [],
    decision,
  });
  return world;
}

const ending = async (world: TestWorld) =>
  (await world.store.load(WEB)).intents.map(({ status, outcome }) => [status, outcome?.message ?? null])[0];

/** The instances on which nothing of a termination is to be left, in the order of the calls. */
function recordWithdrawals(world: TestWorld, answers: WithdrawOutcome[] = []): string[] {
  const withdrawals: string[] = [];
  Object.assign(world.groups, {
    withdrawTermination: async (_group: string, instance: string): Promise<WithdrawOutcome> => {
      withdrawals.push(instance);
      return await Promise.resolve(answers.shift() ?? { kind: 'withdrawn' });
    },
  });
  return withdrawals;
}

const failure = (kind: 'Throttled' | 'Authorization'): TerminateOutcome => ({
  kind: 'failed',
  class: kind,
  code: kind,
  message: 'no',
});

/** Within the time for which a deletion holds. */
const SHORT_CLAIM = 30_000;

describe('instances to be ended', () => {
  it('are left once that is paused, those included of which it was decided before', async () => {
    const world = await worldWith(3, ['i-1', 'i-2', 'i-3']);
    const { groups } = world;
    const terminate: typeof groups.terminate = groups.terminate.bind(groups);
    const ended: string[] = [];
    Object.assign(world.groups, {
      terminate: async (...call: Parameters<typeof terminate>) => {
        ended.push(call[1]);
        const pause = { part: 'All', group: null, until: null, cancelDrains: false, source: 'Command' } as const;
        await world.store.addPause(WEB, pause);
        return await terminate(...call);
      },
    });
    await run(world);
    expect(ended).toEqual(['i-1']);
    const [status, message] = (await ending(world))!;
    expect([status, message]).toEqual(['refused', expect.stringMatching(/left i-2 \(everything is paused .* i-3/)]);
  });

  it('are left alone when a later evaluation has found them to be nodes', async () => {
    const world = await worldWith(3, ['i-1', 'i-2']);
    const state = { ...EMPTY_STATE, unregisteredSince: { [instanceId('i-2')]: NOW } };
    await world.store.commit(WEB, { expectedVersion: 1, now: NOW, state, intents: [], settled: [], decision });
    await run(world);
    expect(world.groups.terminated).toEqual([['a', 'i-2', true]]);
    expect(await ending(world)).toEqual(['refused', 'left i-1 (it has become a node)']);
  });

  it('are ended when a later evaluation has found them broken, which are no nodes either', async () => {
    const world = await worldWith(3, ['i-1']);
    const state = { ...EMPTY_STATE, seenErrors: { [groupName('a')]: [instanceId('i-1')] } };
    await world.store.commit(WEB, { expectedVersion: 1, now: NOW, state, intents: [], settled: [], decision });
    await run(world);
    expect(world.groups.terminated).toEqual([['a', 'i-1', true]]);
  });

  it('are ended one by one, and the target comes down with each', async () => {
    const world = await worldWith(3, ['i-1', 'i-2']);
    await run(world);
    expect(world.groups.terminated).toEqual([
      ['a', 'i-1', true],
      ['a', 'i-2', true],
    ]);
    expect(await ending(world)).toEqual(['done', null]);
    expect(world.wakes).toEqual([]);
  });

  it('are ended once, however often and at the same time it is told', async () => {
    const world = await worldWith(3, ['i-1', 'i-2']);
    await Promise.all([run(world), run(world), run(world)]);
    expect(world.groups.terminated).toHaveLength(2);
  });

  it('are done with when they were ended by a function that stopped before it stored that', async () => {
    const world = await worldWith(3, ['i-1']);
    await world.store.claimIntent(WEB, '1-a', { now: NOW, until: epochMs(NOW + SHORT_CLAIM) });
    await world.groups.terminate(groupName('a'), instanceId('i-1'), true);
    world.time += SHORT_CLAIM;
    await run(world);
    expect(world.groups.terminated).toHaveLength(1);
    expect(world.groups.groups[0]!.targetSize).toBe(2);
    expect(await ending(world)).toEqual(['done', null]);
  });

  it('are left alone at the minimum, also when it is reached on the way', async () => {
    const world = await worldWith(3, ['i-1', 'i-2'], { min: 2 });
    await run(world);
    expect(world.groups.terminated).toEqual([['a', 'i-1', true]]);
    expect(await ending(world)).toEqual(['refused', 'left i-2 (the group is at its minimum of 2)']);
    expect(world.wakes).toHaveLength(1);
  });

  it('are replaced at the minimum when they are to be', async () => {
    const world = await worldWith(3, ['i-1', 'i-2'], { min: 2, force: true });
    await run(world);
    expect(world.groups.terminated).toEqual([
      ['a', 'i-1', true],
      ['a', 'i-2', false],
    ]);
    expect(world.groups.groups[0]!.targetSize).toBe(2);
  });

  it('are left alone when it was decided too long ago: they may be nodes by now', async () => {
    const world = await worldWith(3, ['i-1']);
    world.time += 60_001;
    await run(world);
    expect(world.groups.terminated).toEqual([]);
    expect(await ending(world)).toEqual(['refused', 'it was decided too long ago']);
  });

  it('bear nothing of an earlier attempt when they stay, whatever they stay for', async () => {
    const outdated = { late: 60_001, min: 0, nodes: [] };
    const atMinimum = { late: SHORT_CLAIM, min: 3, nodes: [] };
    const someNodes = { late: SHORT_CLAIM, min: 0, nodes: ['i-1'] };
    for (const [{ late, min, nodes }, withdrawn] of [
      [outdated, ['i-1', 'i-2']],
      [atMinimum, ['i-1', 'i-2']],
      [someNodes, ['i-1']],
    ] as const) {
      const world = await worldWith(3, ['i-1', 'i-2'], { min });
      const withdrawals = recordWithdrawals(world);
      const unregistered = (['i-1', 'i-2'] as const).filter((id) => !(nodes as readonly string[]).includes(id));
      const state = {
        ...EMPTY_STATE,
        unregisteredSince: Object.fromEntries(unregistered.map((id) => [instanceId(id), NOW])),
      };
      await world.store.commit(WEB, { expectedVersion: 1, now: NOW, state, intents: [], settled: [], decision });
      await world.store.claimIntent(WEB, '1-a', { now: NOW, until: epochMs(NOW + SHORT_CLAIM) });
      world.time += late;
      await run(world);
      expect(withdrawals).toEqual(withdrawn);
      expect((await ending(world))![0]).toBe('refused');
    }
  });

  it('are asked about nothing when no attempt was made before', async () => {
    const world = await worldWith(3, ['i-1'], { min: 3 });
    const withdrawals = recordWithdrawals(world);
    await run(world);
    expect(withdrawals).toEqual([]);
  });

  it('wait for what an earlier attempt has left behind to be taken back', async () => {
    const world = await worldWith(3, ['i-1']);
    const busy: WithdrawOutcome[] = Array.from({ length: 9 }, () => ({
      kind: 'failed',
      class: 'Timeout',
      code: 'Withdrawn',
      message: 'the mark remains',
    }));
    const withdrawals = recordWithdrawals(world, busy);
    await world.store.claimIntent(WEB, '1-a', { now: NOW, until: epochMs(NOW + CLAIM) });
    world.time += 3 * 60_000 + 1;
    await expect(run(world)).rejects.toThrow('1 intents are left');
    expect(await ending(world)).toEqual(['pending', null]);
    busy.length = 0;
    withdrawals.length = 0;
    await run(world);
    expect(withdrawals).toEqual(['i-1']);
    expect(await ending(world)).toEqual(['refused', 'it was decided too long ago']);
  });

  it('are left alone in a group that is gone', async () => {
    const world = await worldWith(3, ['i-1']);
    world.groups.groups = [];
    await run(world);
    expect(await ending(world)).toEqual(['refused', 'left i-1 (the group is gone)']);
  });

  it('do not keep the others when one cannot be ended', async () => {
    const world = await worldWith(3, ['i-1', 'i-2']);
    world.groups.terminations.push(failure('Authorization'));
    await run(world);
    expect(world.groups.terminated).toEqual([['a', 'i-2', true]]);
    expect(await ending(world)).toEqual(['failed', 'Authorization: left i-1 (no)']);
    const { intents } = await world.store.load(WEB);
    expect(intents[0]!.outcome!.class).toBe('Authorization');
  });

  it('are tried again while the cloud throttles', async () => {
    const world = await worldWith(3, ['i-1']);
    world.groups.terminations.push(failure('Throttled'), failure('Throttled'));
    await run(world);
    expect(world.slept).toEqual([1_000, 2_000]);
    expect(world.groups.terminated).toHaveLength(1);
  });

  it('are ended before their group grows from the size that is left', async () => {
    const world = await worldWith(3, ['i-1'], { growth: [2, 5] });
    await run(world);
    expect(world.groups.terminated).toHaveLength(1);
    expect(world.groups.calls).toEqual([['a', 5]]);
  });

  it('are not all named where thousands are left: the item that holds the outcome has its limits', async () => {
    const all = Array.from({ length: 3_000 }, (_, i) => `i-${i + 1}`);
    const world = await worldWith(3_000, all, { min: 3_000 });
    await run(world);
    const [status, message] = (await ending(world))!;
    expect(status).toBe('refused');
    expect(message).toMatch(/^left i-1 \(the group is at its minimum of 3000\), .*…$/);
    expect(message).toHaveLength(500);
  });
});
