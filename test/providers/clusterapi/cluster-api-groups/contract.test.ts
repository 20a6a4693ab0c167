import { describe, expect, test } from 'vitest';
import { groupName } from '../../../../core/model/values/names.ts';
import { createClusterApiWorld } from '../../../../simulation/world.ts';
import { epochMs } from '../../../../core/model/values/time.ts';
import { type GroupWish, nodeGroupsContract } from '../../node-groups.contract.ts';
import { scalingGroup, START, withClock } from '../../../simulation/builders.ts';

/** Longer than the longest boot, and the longest end of a Machine. */
const SETTLED_SECONDS = 180;
const MIN_SIZE = 'cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size';

describe.each(['MachineDeployment', 'MachineSet'] as const)('a %s', (kind) => {
  const nameOf = (name: string) => groupName(`${kind}/default/${name}`);

  nodeGroupsContract({ canBeMalformed: true, keepsInstances: true }, async (wishes) => {
    const world = createClusterApiWorld({
      seed: 1,
      start: START,
      groups: wishes.map(({ name, min = 0, max = 10, size = 0 }) =>
        scalingGroup(nameOf(name), { minSize: min, maxSize: max, desiredSize: size }),
      ),
      daemonSets: [],
    });
    wishes.filter(({ malformed }) => malformed === true).forEach(({ name }) => breakBounds(name));
    return {
      groups: world.groups,
      nameOf,
      nodes: world.api.listNodes,
      call: (make) => withClock(world, make),
      settle: () => world.clock.run({ done: () => false, until: epochMs(world.clock.now() + SETTLED_SECONDS * 1_000) }),
    };

    function breakBounds(name: GroupWish['name']): void {
      const { store } = world.scaling;
      store.update(store.get(kind, 'default', name)!, ({ metadata, ...rest }) => ({
        ...rest,
        metadata: { ...metadata, annotations: { ...metadata.annotations, [MIN_SIZE]: 'one' } },
      }));
    }
  });
});

test('a mark that another client removes is set again before the size is lowered: no other Machine goes', async () => {
  const a = groupName('MachineDeployment/default/a');
  let losses = 1;
  const world = createClusterApiWorld({
    seed: 1,
    start: START,
    groups: [scalingGroup(a, { desiredSize: 3 })],
    daemonSets: [],
    faults: { lostMark: () => (losses-- > 0 ? 300 : null) },
  });
  const gone: string[] = [];
  world.scaling.onScaledDown(({ instance, marked }) => gone.push(`${instance} ${marked}`));
  const { id } = world.scaling.groups()[0]!.instances[2]!;
  expect(await withClock(world, () => world.groups.terminate(a, id, true))).toEqual({ kind: 'terminated' });
  await world.clock.run({ done: () => false, until: epochMs(world.clock.now() + SETTLED_SECONDS * 1_000) });
  expect(losses).toBeLessThan(0);
  expect(gone).toEqual([`${id} true`]);
  expect(world.scaling.groups()[0]).toMatchObject({ desired: 2, instances: { length: 2 } });
  expect(world.scaling.marked()).toEqual([]);
});
