import { expect, it } from 'vitest';
import { instanceId } from '../../../core/model/values/names.ts';
import { scalingGroup, testWorld, withClock } from '../builders.ts';

it('the instances of a group are known as its own, and others as nobody’s', async () => {
  const world = testWorld([scalingGroup('a', { desiredSize: 2 }), scalingGroup('b', { desiredSize: 1 })]);
  const [a, b] = world.scaling.groups().map(({ instances }) => instances[0]!.id);
  const asked = [a!, b!, instanceId('i-of-another-cluster')];
  const groups = await withClock(world, () => world.terminations!.groupsOf(asked));
  expect([...groups]).toEqual([
    [a, 'a'],
    [b, 'b'],
  ]);
});
