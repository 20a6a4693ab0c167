import { describe, expect, test } from 'vitest';
import { byName, groupName } from '../../../core/model/values/names.ts';
import { nodeGroupsContract } from '../../providers/node-groups.contract.ts';
import { scalingGroup, testWorld, withClock } from '../builders.ts';

/** Longer than the longest boot, and the longest end of an instance. */
const SETTLED_SECONDS = 180;

describe('simulated Auto Scaling groups', () => {
  nodeGroupsContract({ canBeMalformed: false, keepsInstances: false }, async (wishes) => {
    const world = testWorld(
      wishes.map(({ name, min = 0, max = 10, size = 0 }) =>
        scalingGroup(name, { minSize: min, maxSize: max, desiredSize: size }),
      ),
    );
    return {
      groups: world.groups,
      nameOf: groupName,
      nodes: world.api.listNodes,
      call: (make) => withClock(world, make),
      settle: () => world.pass(SETTLED_SECONDS),
    };
  });

  test('say of an instance that it is of an earlier version of their launch template', async () => {
    const world = testWorld([scalingGroup('web', { minSize: 0, maxSize: 5, desiredSize: 1 })]);
    world.scaling.changeTemplate(groupName('web'));
    await withClock(world, () => world.groups.setSize(groupName('web'), 2));
    await world.pass(SETTLED_SECONDS);
    const [group] = await withClock(world, () => world.groups.list(world.api.listNodes()));
    expect(group!.instances.map(({ drifted = 'none' }) => drifted).toSorted(byName)).toEqual([
      'launch template version 1, not 2',
      'none',
    ]);
  });
});
