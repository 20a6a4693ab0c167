import { describe, expect, it } from 'vitest';
import { minutes, seconds } from '../../../core/model/values/time.ts';
import type { LifecycleHook } from '../../../simulation/cloud/hooks.ts';
import { scalingGroup, testWorld, withClock } from '../builders.ts';

const HOOK: LifecycleHook = { name: 'outrigger', heartbeatTimeout: seconds(60), defaultResult: 'CONTINUE' };

/** A world with one instance in a group with these hooks. */
function oneInstance(...hooks: readonly LifecycleHook[]) {
  const world = testWorld([scalingGroup('a', { desiredSize: 1, hooks })], { announcesStates: true });
  const [instance] = world.scaling.groups()[0]!.instances;
  const id = instance!.id;
  return {
    ...world,
    id,
    there: () => world.scaling.groups()[0]!.instances.some((one) => one.id === id),
    token: (name = 'outrigger') => world.ofKind('HookWaits').find(({ hook }) => hook === name)!.token,
    complete: (token: string, name = 'outrigger') =>
      withClock(world, () =>
        world.terminations!.completeHook(world.scaling.groups()[0]!.group.name, id, {
          name,
          token,
          heartbeatUntil: null,
        }),
      ),
    heartbeat: (token: string) =>
      withClock(world, () =>
        world.terminations!.heartbeat(world.scaling.groups()[0]!.group.name, id, {
          name: 'outrigger',
          token,
          heartbeatUntil: null,
        }),
      ),
  };
}

describe('an instance of a group with a terminating lifecycle hook', () => {
  it('stays with its node, on its way out, until the hook is completed, and is replaced at once', async () => {
    const world = oneInstance(HOOK);
    world.scaling.replaceElsewhere(world.id);
    await world.pass(50);
    const [view] = world.scaling.groups();
    expect(view!.instances.map(({ state }) => state).toSorted()).toEqual(['Deleting', 'Running']);
    expect(world.api.nodes.size).toBeGreaterThan(0);
    expect(await world.complete(world.token())).toEqual({ kind: 'done' });
    await world.pass(30);
    expect(world.there()).toBe(false);
    expect(world.ofKind('HookEnded')).toMatchObject([{ instance: world.id, how: 'completed' }]);
    expect(await world.complete(world.token())).toEqual({ kind: 'gone' });
  });

  it('ends when the heartbeat timeout has passed, and later with a heartbeat', async () => {
    const world = oneInstance(HOOK);
    world.scaling.replaceElsewhere(world.id);
    await world.pass(50);
    expect(await world.heartbeat(world.token())).toEqual({ kind: 'done' });
    await world.pass(58);
    expect(world.there()).toBe(true);
    await world.pass(30);
    expect(world.there()).toBe(false);
    expect(world.ofKind('HookEnded')).toMatchObject([{ how: 'timed out' }]);
  });

  it('waits for each of its hooks, unless one that times out abandons the others', async () => {
    const other = { name: 'other', heartbeatTimeout: minutes(10), defaultResult: 'CONTINUE' } as const;
    const patient = oneInstance(HOOK, other);
    patient.scaling.replaceElsewhere(patient.id);
    await patient.pass(120);
    expect(patient.there()).toBe(true);
    expect(await patient.complete(patient.token('other'), 'other')).toEqual({ kind: 'done' });
    await patient.pass(30);
    expect(patient.there()).toBe(false);
    const hasty = oneInstance({ ...HOOK, defaultResult: 'ABANDON' }, other);
    hasty.scaling.replaceElsewhere(hasty.id);
    await hasty.pass(90);
    expect(hasty.there()).toBe(false);
  });

  it('is not completed with another token', async () => {
    const world = oneInstance(HOOK);
    world.scaling.replaceElsewhere(world.id);
    expect(await world.complete('another')).toEqual({ kind: 'gone' });
    expect(world.there()).toBe(true);
  });

  it('does not wait where EC2 ends it, and its end is announced', async () => {
    const world = oneInstance(HOOK);
    world.scaling.replaceElsewhere(world.id);
    await world.pass(5);
    world.scaling.fail(world.id);
    await world.pass(30);
    expect(world.there()).toBe(false);
    expect(world.ofKind('InstanceStopping').map(({ instance }) => instance)).toEqual([world.id]);
    await world.pass(120);
    expect(world.ofKind('HookEnded')).toEqual([]);
  });

  it('is replaced once when EC2 ends it', async () => {
    const world = oneInstance(HOOK);
    world.scaling.fail(world.id);
    await world.pass(120);
    expect(world.scaling.groups()[0]!.instances.map(({ state }) => state)).toEqual(['Running']);
  });
});
