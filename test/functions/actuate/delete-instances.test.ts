import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../core/evaluate.ts';
import { groupName, instanceId } from '../../../core/model/values/names.ts';
import type { TerminateOutcome } from '../../../core/model/answers.ts';
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

const failure = (kind: 'Throttled' | 'Authorization'): TerminateOutcome => ({
  kind: 'failed',
  class: kind,
  code: kind,
  message: 'no',
});

describe('instances to be ended', () => {
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
    await world.store.claimIntent(WEB, '1-a', NOW, epochMs(NOW + CLAIM));
    await world.groups.terminate(groupName('a'), instanceId('i-1'), true);
    world.time += CLAIM;
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
    world.time += 3 * 60_000 + 1;
    await run(world);
    expect(world.groups.terminated).toEqual([]);
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
