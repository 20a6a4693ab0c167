import { describe, expect, it } from 'vitest';
import { groupName, instanceId, nodeName } from '../../../core/model/values/names.ts';
import { EMPTY_STATE } from '../../../core/model/state.ts';
import type { RemoveNodesIntent } from '../../../core/model/intent.ts';
import { addTime, seconds } from '../../../core/model/values/time.ts';
import { createActuate } from '../../../functions/actuate/actuate.ts';
import { decisionOf } from '../../providers/state-store.contract.ts';
import { NOW, times } from '../../scenario-builders.ts';
import { invocation, type TestWorld, testWorld, WEB } from '../test-world.ts';

const node = (name: string, kind: 'empty' | 'drain') => ({
  node: nodeName(name),
  uid: `uid-of-${name}`,
  instance: instanceId(`i-of-${name}`),
  kind,
});
const INTENT: RemoveNodesIntent = {
  id: '1-a',
  kind: 'RemoveNodes',
  group: groupName('a'),
  nodes: [node('n1', 'empty'), node('n2', 'drain'), node('n3', 'empty'), node('n4', 'drain')],
  createdAt: NOW,
  status: 'pending',
  attempts: 0,
  claimedUntil: null,
  outcome: null,
};

async function worldWith(intent: RemoveNodesIntent): Promise<TestWorld> {
  const world = testWorld();
  await world.store.commit(WEB, {
    expectedVersion: 0,
    now: NOW,
    state: EMPTY_STATE,
    intents: [intent],
    settled: [],
    decision: decisionOf('first'),
  });
  return world;
}

/** A world in which no driver of drains can be started. */
const withoutDrivers = (world: TestWorld): TestWorld => ({
  ...world,
  startDrains: async () => {
    throw new Error('no driver can be started');
  },
});

const resume = (world: TestWorld) => createActuate(world)({ resume: WEB }, invocation());
const statusOf = async (world: TestWorld) => (await world.store.load(WEB)).intents.map(({ status }) => status);

describe('nodes that are to leave', () => {
  it('stay where that is paused, and get no drain', async () => {
    const world = await worldWith(INTENT);
    await world.store.addPause(WEB, { part: 'ScaleDown', group: null, until: null, cancelDrains: false });
    await resume(world);
    expect([await world.drains.list(WEB), await statusOf(world)]).toEqual([[], ['refused']]);
  });

  it.each(['SpotInterruption', 'LifecycleHook'] as const)(
    'leave all the same where everything is paused, but the cloud ends their instances: %s',
    async (kind) => {
      const hook = { name: 'drain', token: 'token', heartbeatUntil: null };
      const notice = { kind, deadline: addTime(NOW, seconds(120)), hook: kind === 'LifecycleHook' ? hook : null };
      const world = await worldWith({ ...INTENT, nodes: [{ ...node('n1', 'drain'), notice }] });
      await world.store.addPause(WEB, { part: 'All', group: null, until: null, cancelDrains: true });
      await resume(world);
      expect([(await world.drains.list(WEB)).length, await statusOf(world)]).toEqual([1, ['done']]);
    },
  );

  it('get a drain each, and a driver: those that are empty share one', async () => {
    const world = await worldWith(INTENT);
    await resume(world);
    expect((await world.drains.list(WEB)).map(({ drain }) => [drain.id, drain.phase, drain.kind])).toEqual([
      ['1-a/n1', 'Tainting', 'empty'],
      ['1-a/n2', 'Tainting', 'drain'],
      ['1-a/n3', 'Tainting', 'empty'],
      ['1-a/n4', 'Tainting', 'drain'],
    ]);
    expect(world.started).toEqual([
      { ids: ['1-a/n1', '1-a/n3'], attempt: 1 },
      { ids: ['1-a/n2'], attempt: 1 },
      { ids: ['1-a/n4'], attempt: 1 },
    ]);
    expect(await statusOf(world)).toEqual(['done']);
  });

  it('share a driver fifty at a time where they are empty', async () => {
    const nodes = times(101, (i) => node(`n${i}`, 'empty'));
    const world = await worldWith({ ...INTENT, nodes });
    await resume(world);
    expect(world.started.map(({ ids }) => ids.length)).toEqual([50, 50, 1]);
    expect(new Set(world.started.flatMap(({ ids }) => ids)).size).toBe(101);
  });

  it('are left alone when it was decided too long ago', async () => {
    const world = await worldWith(INTENT);
    world.time += 181_000;
    await resume(world);
    expect(await world.drains.list(WEB)).toEqual([]);
    expect(world.started).toEqual([]);
    expect(await statusOf(world)).toEqual(['refused']);
  });

  it('are still to be removed after no driver of their drains could be started', async () => {
    const world = await worldWith(INTENT);
    await resume(withoutDrivers(world)).catch(() => {});
    expect(await statusOf(world)).toEqual(['pending']);
    expect(world.started).toEqual([]);
  });

  it('go on from where they are when it is done twice', async () => {
    const world = await worldWith(INTENT);
    await resume(world);
    const [first] = await world.drains.list(WEB);
    const moved = { ...first!, drain: { ...first!.drain, phase: 'Validating' as const } };
    await world.drains.save(WEB, moved, 1);
    const again = await worldWith(INTENT);
    await createActuate({ ...again, drains: world.drains })({ resume: WEB }, invocation());
    expect((await world.drains.load(WEB, '1-a/n1'))!.drain.phase).toBe('Validating');
  });
});

describe('a drain whose driver has died', () => {
  it('is given another one by a resumption, once, as the next attempt', async () => {
    const world = await worldWith(INTENT);
    await resume(world);
    world.started.length = 0;
    await resume(world);
    expect(world.started).toEqual([]);
    world.time += 61_000;
    await Promise.all([resume(world), resume(world)]);
    expect(world.started).toHaveLength(4);
    expect(new Set(world.started.map(({ attempt }) => attempt))).toEqual(new Set([2]));
    expect((await world.drains.load(WEB, '1-a/n1'))!.drivenUntil).toBe(addTime(world.now(), seconds(60)));
  });

  it('fails the resumption where no other one can be started, and is given one by a later resumption', async () => {
    const world = await worldWith(INTENT);
    await resume(world);
    world.started.length = 0;
    world.time += 61_000;
    await expect(resume(withoutDrivers(world))).rejects.toThrow('no driver can be started');
    world.time += 61_000;
    await resume(world);
    expect(world.started.length).toBeGreaterThan(0);
  });

  it('is left alone when it has ended', async () => {
    const world = await worldWith(INTENT);
    await resume(world);
    for (const stored of await world.drains.list(WEB)) {
      await world.drains.save(WEB, { ...stored, drain: { ...stored.drain, phase: 'Removed' } }, stored.revision);
    }
    world.started.length = 0;
    world.time += 61_000;
    await resume(world);
    expect(world.started).toEqual([]);
  });
});
