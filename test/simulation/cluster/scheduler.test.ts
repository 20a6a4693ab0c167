import { expect, test } from 'vitest';
import { ZONE_LABEL } from '../../../core/model/cluster/node.ts';
import { keyOf } from '../../../core/model/cluster/pod.ts';
import { plainSpec } from '../../../simulation/cluster/pod-spec.ts';
import type { Workload } from '../../../simulation/cluster/workload.ts';
import { resources, selector, spreadConstraint } from '../../builders.ts';
import { deployment, scalingGroup, testWorld } from '../builders.ts';

/** A node in each of two zones. */
async function worldOfTwoZones() {
  const world = testWorld([
    scalingGroup('a', { desiredSize: 1, zones: ['us-east-1a'] }),
    scalingGroup('b', { desiredSize: 1, zones: ['us-east-1b'] }),
  ]);
  await world.pass(60);
  return world;
}

/** The zones may differ by one pod. */
const SPREAD = plainSpec(resources({ cpu: 0.1 }), {
  topologySpread: [spreadConstraint(ZONE_LABEL, selector({ app: 'web' }))],
});

const spread = (pods: number): Workload => deployment('web', pods, {}, { spec: SPREAD });

type World = Awaited<ReturnType<typeof worldOfTwoZones>>;

const cordon = ({ api }: World, zone: string): void =>
  api.nodes.forEach((node) => {
    if (node.labels[ZONE_LABEL] === zone) {
      api.putNode({ ...node, unschedulable: true });
    }
  });

/** How many pods run in each zone, and how many wait. */
const counts = ({ api, podsOf }: World) => {
  const zones = podsOf('default/web').map(({ nodeName }) =>
    nodeName === null ? 'none' : api.nodes.get(nodeName)!.labels[ZONE_LABEL]!,
  );
  return ['us-east-1a', 'us-east-1b', 'none'].map((zone) => zones.filter((one) => one === zone).length);
};

test('a pod that is on its way out is not counted by a topology spread constraint', async () => {
  const world = await worldOfTwoZones();
  world.controllers.apply(spread(4));
  await world.pass(20);
  expect(counts(world)).toEqual([2, 2, 0]);

  cordon(world, 'us-east-1b');
  world.controllers.apply(deployment('other', 1, {}));
  await world.pass(2);
  const leaving = world.podsOf('default/web').find(({ nodeName }) => world.api.nodes.get(nodeName!)!.unschedulable)!;
  world.api.updatePod(keyOf(leaving), (pod) => ({ ...pod, deletedAt: world.clock.now() }));
  world.controllers.apply(spread(5));
  await world.pass(0.5);
  // Zone b counts for one pod now, and zone a has one more already.
  expect(counts(world)[0]).toBe(2);
});

test('a pod that is nominated to a node of another zone is not counted there yet', async () => {
  const world = await worldOfTwoZones();
  world.controllers.apply(spread(2));
  await world.pass(20);
  cordon(world, 'us-east-1b');
  world.controllers.apply(spread(4));
  await world.pass(2);
  expect(counts(world)).toEqual([2, 1, 1]);

  const waiting = world.podsOf('default/web').find(({ nodeName }) => nodeName === null)!;
  const other = [...world.api.nodes.values()].find(({ unschedulable }) => unschedulable)!;
  world.api.updatePod(keyOf(waiting), (pod) => ({ ...pod, nominatedNodeName: other.name }));
  world.controllers.apply(spread(5));
  await world.pass(20);
  expect(counts(world)[0]).toBe(2);
});
