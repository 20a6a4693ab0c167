import { describe, expect, it } from 'vitest';
import { seconds } from '../../../core/model/values/time.ts';
import { groupName } from '../../../core/model/values/names.ts';
import { deployment, scalingGroup, testWorld, withClock } from './builders.ts';

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
