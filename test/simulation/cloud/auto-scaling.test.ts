import { describe, expect, it, test } from 'vitest';
import { minutes, seconds } from '../../../core/model/values/time.ts';
import { groupName } from '../../../core/model/values/names.ts';
import { deployment, scalingGroup, testWorld, withClock } from '../builders.ts';

const A = groupName('a');
const zonesOf = (world: ReturnType<typeof testWorld>): readonly string[] =>
  world.scaling
    .groups()[0]!
    .instances.filter(({ state }) => state !== 'Deleting')
    .map(({ zone }) => zone)
    .toSorted();

describe('another client', () => {
  it('sets a size, and its instances come and go without a request of Outrigger', async () => {
    const world = testWorld([scalingGroup('a', { desiredSize: 1 })]);
    world.scaling.setElsewhere(A, { desired: 3 });
    await world.pass(60);
    expect(world.api.nodes.size).toBe(3);
    world.scaling.setElsewhere(A, { desired: 1 });
    await world.pass(60);
    expect(world.api.nodes.size).toBe(1);
    expect(world.ofKind('SizeSetElsewhere')).toMatchObject([
      { from: 1, to: 3 },
      { from: 3, to: 1 },
    ]);
    expect(world.ofKind('SizeSet')).toEqual([]);
  });

  it('sets bounds, and the size follows them; descriptions of the past have the bounds of then', async () => {
    const world = testWorld([scalingGroup('a', { desiredSize: 5 })]);
    await world.pass(1);
    world.scaling.setElsewhere(A, { minSize: 1, maxSize: 3 });
    await world.pass(2);
    expect(world.scaling.sizeOf(A)).toMatchObject({ min: 1, max: 3, target: 3 });
    expect(world.scaling.sizeOf(A, 2_500)).toMatchObject({ min: 0, max: 10, target: 5 });
    expect(world.scaling.setDesired(A, 4)).toMatchObject({ kind: 'failed' });
    await world.pass(30);
    expect(world.api.nodes.size).toBe(3);
    world.scaling.setElsewhere(A, { minSize: 4, maxSize: 6 });
    expect(world.scaling.sizeOf(A)).toMatchObject({ target: 4 });
  });

  it('suspends Launch: what is missing comes once it is resumed, and the group says so', async () => {
    const world = testWorld([scalingGroup('a', { desiredSize: 1 })]);
    const list = async () => await withClock(world, () => world.groups.list([]));
    world.scaling.setSuspended(A, true);
    world.scaling.setDesired(A, 2);
    await world.pass(120);
    expect(world.api.nodes.size).toBe(1);
    expect(await list()).toMatchObject([{ launchSuspended: true, targetSize: 2 }]);
    world.scaling.setSuspended(A, false);
    await world.pass(60);
    expect(world.api.nodes.size).toBe(2);
    expect(await list()).toMatchObject([{ launchSuspended: false }]);
  });

  it('deletes a group with its instances, and creates it anew; other groups are as they were', async () => {
    const world = testWorld([scalingGroup('a', { desiredSize: 2 }), scalingGroup('b', { desiredSize: 1 })]);
    await world.pass(1);
    const [first] = world.scaling.groups()[0]!.instances;
    world.scaling.remove(A);
    await world.pass(2);
    expect(world.scaling.groups().map(({ group }) => group.name)).toEqual(['b']);
    expect(world.scaling.groups(2_500).map(({ group }) => group.name)).toEqual(['a', 'b']);
    expect(world.scaling.sizeOf(A)).toBeNull();
    expect(world.scaling.setDesired(A, 1)).toMatchObject({ kind: 'failed' });
    expect(world.scaling.terminate(A, first!.id, true)).toEqual({ kind: 'gone' });
    await world.pass(60);
    expect(world.api.nodes.size).toBe(1);
    world.scaling.create(A);
    await world.pass(60);
    expect(world.scaling.sizeOf(A)).toMatchObject({ target: 2, held: 2 });
    expect(world.api.nodes.size).toBe(3);
  });

  it('creates a group that is not there at the start', async () => {
    const world = testWorld([scalingGroup('a', { desiredSize: 1 })], { later: new Set([A]) });
    expect(world.scaling.groups()).toEqual([]);
    expect(world.api.nodes.size).toBe(0);
    world.scaling.create(A);
    await world.pass(60);
    expect(world.api.nodes.size).toBe(1);
  });
});

describe('the zones of a group', () => {
  const uneven = async () => {
    const world = testWorld([scalingGroup('a', { zones: ['us-east-1a', 'us-east-1b'], desiredSize: 4 })]);
    for (const { id, zone } of world.scaling.groups()[0]!.instances) {
      if (zone === 'us-east-1b') {
        world.scaling.terminate(A, id, true);
      }
    }
    await world.pass(30);
    expect(zonesOf(world)).toEqual(['us-east-1a', 'us-east-1a']);
    return world;
  };

  it('are balanced: an instance comes beyond the size, and one of the fullest zone goes once it is there', async () => {
    const world = await uneven();
    expect(world.scaling.rebalance(A, Number(seconds(90)))).toBe(true);
    await world.pass(80);
    expect(zonesOf(world)).toEqual(['us-east-1a', 'us-east-1a', 'us-east-1b']);
    expect(world.scaling.sizeOf(A)).toMatchObject({ target: 2 });
    await world.pass(60);
    expect(zonesOf(world)).toEqual(['us-east-1a', 'us-east-1b']);
    expect(world.ofKind('ZonesBalanced')).toMatchObject([{ zone: 'us-east-1a' }]);
  });

  it('are left alone where they are even', async () => {
    const world = testWorld([scalingGroup('a', { zones: ['us-east-1a', 'us-east-1b'], desiredSize: 3 })]);
    expect(world.scaling.rebalance(A, 1_000)).toBe(false);
    await world.pass(60);
    expect(world.ofKind('InstanceLaunched')).toEqual([]);
  });
});

it('an evicted pod that is stuck on its way out stays for longer', async () => {
  const world = testWorld([scalingGroup('a', { desiredSize: 1 })], { faults: { podStop: () => 60_000 } });
  world.controllers.apply(deployment('web', 1, { cpu: 1 }));
  await world.pass(20);
  const [pod] = world.podsOf('default/web');
  expect(await withClock(world, () => world.writer.evict(pod!, null))).toEqual({ kind: 'done' });
  const isThere = () => world.podsOf('default/web').some(({ uid }) => uid === pod!.uid);
  await world.pass(50);
  expect(isThere()).toBe(true);
  await world.pass(30);
  expect(isThere()).toBe(false);
});

describe('another client, for a while,', () => {
  const ready = (world: ReturnType<typeof testWorld>): number => world.ofKind('NodeReady').length;

  it.each(['Terminate', 'HealthCheck', 'ReplaceUnhealthy'] as const)(
    'suspends %s: an instance that ends by itself is shown as before, and replaced when it is resumed',
    async (process) => {
      const world = testWorld([scalingGroup('a', { desiredSize: 2 })]);
      await world.pass(1);
      const lost = world.scaling.groups()[0]!.instances[0]!;
      world.scaling.setProcess(A, process, true);
      world.scaling.fail(lost.id);
      await world.pass(120);
      expect(world.api.nodes.size).toBe(1);
      expect(world.scaling.groups()[0]!.instances).toContainEqual(lost);
      world.scaling.setProcess(A, process, false);
      await world.pass(120);
      expect(world.api.nodes.size).toBe(2);
      expect(world.scaling.groups()[0]!.instances.map(({ id }) => id)).not.toContain(lost.id);
    },
  );

  it('suspends Terminate: a lower size ends no instance until it is resumed', async () => {
    const world = testWorld([scalingGroup('a', { desiredSize: 2 })]);
    await world.pass(1);
    world.scaling.setProcess(A, 'Terminate', true);
    world.scaling.setElsewhere(A, { desired: 1 });
    await world.pass(120);
    expect(world.api.nodes.size).toBe(2);
    world.scaling.setProcess(A, 'Terminate', false);
    await world.pass(120);
    expect(world.api.nodes.size).toBe(1);
  });

  it('suspends AZRebalance: zones are not balanced', async () => {
    const world = testWorld([scalingGroup('a', { desiredSize: 4, zones: ['us-east-1a', 'us-east-1b'] })]);
    await world.pass(1);
    for (const { id, zone } of world.scaling.groups()[0]!.instances) {
      if (zone === 'us-east-1b') {
        world.scaling.terminate(A, id, true);
      }
    }
    await world.pass(60);
    world.scaling.setProcess(A, 'AZRebalance', true);
    expect(world.scaling.rebalance(A, 1_000)).toBe(false);
    world.scaling.setProcess(A, 'AZRebalance', false);
    expect(world.scaling.rebalance(A, 1_000)).toBe(true);
  });

  it('has launched instances wait for a hook: their nodes register, and they are in service after it', async () => {
    const world = testWorld([scalingGroup('a', { desiredSize: 0 })]);
    world.scaling.setLaunchHook(A, { ms: seconds(300), result: 'CONTINUE' });
    world.scaling.setDesired(A, 1);
    await world.pass(200);
    expect(ready(world)).toBe(1);
    expect(world.scaling.groups()[0]!.instances).toMatchObject([{ state: 'Creating', node: expect.any(String) }]);
    await world.pass(120);
    expect(world.scaling.groups()[0]!.instances).toMatchObject([{ state: 'Running' }]);
  });

  it('has the wait for a hook begin anew with each heartbeat', async () => {
    const world = testWorld([scalingGroup('a', { desiredSize: 0 })]);
    world.scaling.setLaunchHook(A, { ms: seconds(100), result: 'CONTINUE', heartbeats: 2 });
    world.scaling.setDesired(A, 1);
    await world.pass(240);
    expect(world.ofKind('LaunchHeartbeat')).toHaveLength(2);
    expect(world.scaling.groups()[0]!.instances).toMatchObject([{ state: 'Creating' }]);
    await world.pass(20);
    expect(world.ofKind('LaunchContinued')).toHaveLength(1);
    expect(world.scaling.groups()[0]!.instances).toMatchObject([{ state: 'Running' }]);
  });

  it('abandons launched instances: each is ended after the wait, and another one launched', async () => {
    const world = testWorld([scalingGroup('a', { desiredSize: 0 })]);
    world.scaling.setLaunchHook(A, { ms: seconds(100), result: 'ABANDON' });
    world.scaling.setDesired(A, 1);
    await world.pass(90);
    world.scaling.setLaunchHook(A, null);
    await world.pass(300);
    expect(world.ofKind('LaunchAbandoned')).toHaveLength(1);
    expect(world.ofKind('InstanceLaunched')).toHaveLength(2);
    expect(world.scaling.groups()[0]!.instances).toMatchObject([{ state: 'Running' }]);
    expect(world.api.nodes.size).toBe(1);
  });

  it('adds a terminating hook: an instance waits for it, also when it has been removed meanwhile', async () => {
    const world = testWorld([scalingGroup('a', { desiredSize: 2 })]);
    await world.pass(1);
    world.scaling.addHook(A, { name: 'other', heartbeatTimeout: minutes(10), defaultResult: 'CONTINUE' });
    const [first, second] = world.scaling.groups()[0]!.instances;
    world.scaling.terminate(A, first!.id, true);
    world.scaling.removeHook(A, 'other');
    world.scaling.terminate(A, second!.id, true);
    await world.pass(300);
    expect(world.scaling.groups()[0]!.instances.map(({ id }) => id)).toEqual([first!.id]);
    await world.pass(400);
    expect(world.scaling.groups()[0]!.instances).toEqual([]);
  });
});

describe('a warm pool', () => {
  it('has instances that are no nodes and join the group before new ones; it is filled again', async () => {
    const world = testWorld([
      scalingGroup('a', { desiredSize: 0, warmPool: { size: 2, state: 'Stopped', reuse: false } }),
    ]);
    const pool = world.scaling.groups()[0]!.warm!.map(({ id }) => id);
    expect(pool).toHaveLength(2);
    await world.pass(600);
    expect(world.api.nodes.size).toBe(0);
    world.scaling.setDesired(A, 3);
    const groups = await withClock(world, () => world.groups.list([]));
    expect(groups).toMatchObject([{ warmPool: { size: 2, state: 'Stopped', reuse: false }, instances: [] }]);
    await world.pass(300);
    const { instances, warm } = world.scaling.groups()[0]!;
    expect(instances.map(({ id }) => id)).toEqual(expect.arrayContaining(pool));
    expect(instances).toHaveLength(3);
    expect(world.ofKind('WarmInstanceTaken')).toHaveLength(2);
    expect(warm).toHaveLength(2);
    expect(world.api.nodes.size).toBe(3);
  });

  it('takes in what a scale-in ends: the same instance joins again, as another Node of the same name', async () => {
    const world = testWorld([
      scalingGroup('a', { minSize: 0, desiredSize: 2, warmPool: { size: 1, state: 'Stopped', reuse: true } }),
    ]);
    await world.pass(1);
    const [ended] = world.scaling.groups()[0]!.instances;
    const before = world.api.nodes.get(ended!.node!)!;
    const never = world.scaling.groups()[0]!.warm!.map(({ id }) => id);
    world.scaling.terminate(A, ended!.id, true);
    await world.pass(60);
    expect(world.api.nodes.has(before.name)).toBe(false);
    expect(world.ofKind('ReturnedToWarmPool').map(({ instance }) => instance)).toEqual([ended!.id]);
    // The pool has its size again: the instance that was in it has gone.
    expect(world.scaling.groups()[0]!.warm!.map(({ id }) => id)).toEqual([ended!.id]);
    expect(never).not.toContain(ended!.id);

    world.scaling.setDesired(A, 2);
    await world.pass(300);
    const [again] = world.scaling.groups()[0]!.instances.filter(({ id }) => id === ended!.id);
    expect(again).toMatchObject({ state: 'Running', node: before.name });
    const after = world.api.nodes.get(before.name)!;
    expect(after.providerId).toBe(before.providerId);
    expect(after.uid).not.toBe(before.uid);
    expect(after.conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True' }));
  });

  it('takes in what leaves with a lower size, and nothing that is replaced or fails', async () => {
    const world = testWorld([
      scalingGroup('a', { minSize: 0, desiredSize: 3, warmPool: { size: 1, state: 'Stopped', reuse: true } }),
    ]);
    await world.pass(1);
    const [first, second] = world.scaling.groups()[0]!.instances;
    world.scaling.terminate(A, first!.id, false);
    world.scaling.fail(second!.id);
    await world.pass(300);
    expect(world.ofKind('ReturnedToWarmPool')).toEqual([]);
    world.scaling.setDesired(A, 2);
    await world.pass(60);
    const [returned] = world.ofKind('ReturnedToWarmPool');
    expect(world.scaling.groups()[0]!.warm!.map(({ id }) => id)).toEqual([returned!.instance]);
  });

  it('gives instances where the cloud has no capacity for new ones', async () => {
    const world = testWorld([
      scalingGroup('a', { desiredSize: 0, available: 0, warmPool: { size: 1, state: 'Running', reuse: false } }),
    ]);
    world.scaling.setDesired(A, 1);
    await world.pass(300);
    expect(world.api.nodes.size).toBe(1);
    expect(world.ofKind('LaunchFailed')).toEqual([]);
  });
});

describe('what waits in a warm pool', () => {
  const slow = { min: 100_000, max: 100_000 };
  const quick = { min: 15_000, max: 15_000 };
  const registered = (world: ReturnType<typeof testWorld>): number => world.ofKind('NodeRegistered').length;

  it('joins after a boot of its own, before new instances, and is made up for after one of theirs', async () => {
    const warmPool = { size: 1, state: 'Stopped', reuse: false, boot: quick, prepared: slow } as const;
    const world = testWorld([scalingGroup('a', { desiredSize: 0, boot: slow, warmPool })]);
    world.scaling.setDesired(A, 2);
    await world.pass(20);
    expect(registered(world)).toBe(1);
    await world.pass(60);
    expect([registered(world), world.scaling.groups()[0]!.warm]).toEqual([1, []]);
    await world.pass(40);
    expect([registered(world), world.scaling.groups()[0]!.warm!.length]).toEqual([2, 1]);
  });

  it('is not made up for while the cloud has no more instances, and is once it has', async () => {
    const world = testWorld([
      scalingGroup('a', { desiredSize: 0, warmPool: { size: 2, state: 'Stopped', reuse: false } }),
    ]);
    world.scaling.setAvailable(A, 2);
    world.scaling.setDesired(A, 1);
    await world.pass(600);
    expect(world.scaling.groups()[0]!.warm).toHaveLength(1);
    world.scaling.setAvailable(A, 3);
    await world.pass(120);
    expect(world.scaling.groups()[0]!.warm).toHaveLength(2);
  });
});

test('a new node may have the name of one that is gone, and is another one all the same', async () => {
  const world = testWorld([scalingGroup('a', { desiredSize: 1 })], { faults: { nodeName: (gone) => gone[0] ?? null } });
  const [first] = world.api.nodes.values();
  world.scaling.fail(world.scaling.groups()[0]!.instances[0]!.id);
  await world.pass(120);
  const [second] = world.api.nodes.values();
  expect(world.api.nodes.size).toBe(1);
  expect(second!.name).toBe(first!.name);
  expect(second!.uid).not.toBe(first!.uid);
  expect(second!.providerId).not.toBe(first!.providerId);
});
