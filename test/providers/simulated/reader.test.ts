import { describe, expect, test } from 'vitest';
import { deployment, scalingGroup, testWorld, withClock } from './builders.ts';

describe('a watch cache that is behind', () => {
  test('answers lists as they were, each its own, and single objects as they are', async () => {
    let late = 'pods';
    const world = testWorld([scalingGroup('a', { desiredSize: 1 })], {
      faults: { listLag: (list) => (list === late ? 3_000 : 0) },
    });
    const read = async () => (await withClock(world, () => world.reader.read())).objects;
    const [node] = world.api.nodes.values();
    expect((await read()).pods).toEqual([]);
    late = '';
    world.controllers.apply(deployment('web', 2, { cpu: 1 }));
    world.scaling.setElsewhere(scalingGroup('a').name, { desired: 0 });
    await world.pass(1);
    expect(world.podsOf('default/web')).toHaveLength(2);
    const stale = await read();
    expect([stale.pods.length, stale.controllers.length]).toEqual([0, 2]);
    expect((await withClock(world, () => world.reader.readNode(node!.name))).objects).toMatchObject({
      nodes: [{ name: node!.name }],
      pods: [],
    });
    await world.pass(3);
    expect((await read()).pods).toHaveLength(2);
  });
});
