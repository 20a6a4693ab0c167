import { describe, expect, test } from 'vitest';
import type { ListedObjects } from '../../../simulation/world-faults.ts';
import { deployment, scalingGroup, testWorld, withClock } from '../builders.ts';

const SLOW_MS = 3_000;

/** Reads a cluster whose first pods are created a second after the question, and tells the time that it takes. */
async function read(slow: readonly ListedObjects[]) {
  const world = testWorld([scalingGroup('a', { desiredSize: 1 })], {
    faults: { listAge: (list) => (slow.includes(list) ? SLOW_MS : 0) },
  });
  const begun = world.clock.now();
  world.clock.after(1_000, () => {
    world.controllers.apply(deployment('web', 2, { cpu: 1 }));
    world.scaling.setElsewhere(scalingGroup('a').name, { desired: 0 });
  });
  const { objects } = await withClock(world, () => world.reader.read());
  const has = {
    pods: objects.pods.length > 0,
    controllers: objects.controllers.length > 0,
    nodes: objects.nodes.length > 0,
  };
  return { ...has, seconds: Math.floor((world.clock.now() - begun) / 1_000) };
}

describe('a list that takes long', () => {
  test.each<[string, readonly ListedObjects[], Awaited<ReturnType<typeof read>>]>([
    ['none', [], { pods: false, controllers: false, nodes: true, seconds: 0 }],
    [
      'pods: as they were when the nodes were there',
      ['pods'],
      { pods: false, controllers: false, nodes: true, seconds: 3 },
    ],
    ['nodes: pods are asked for later', ['nodes'], { pods: true, controllers: true, nodes: true, seconds: 3 }],
    [
      'nodes and controllers: both as they were',
      ['nodes', 'controllers'],
      { pods: true, controllers: false, nodes: true, seconds: 3 },
    ],
  ])('%s', async (_, slow, expected) => {
    expect(await read(slow)).toEqual(expected);
  });

  test('is no older than its question: the next one shows what has come', async () => {
    const world = testWorld([scalingGroup('a', { desiredSize: 1 })], { faults: { listAge: () => SLOW_MS } });
    await withClock(world, () => world.reader.read());
    world.controllers.apply(deployment('web', 2, { cpu: 1 }));
    await world.pass(1);
    const { objects } = await withClock(world, () => world.reader.read());
    expect([objects.pods.length, objects.controllers.length > 0]).toEqual([2, true]);
  });
});
