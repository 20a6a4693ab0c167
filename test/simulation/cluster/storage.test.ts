import { expect, test } from 'vitest';
import { nodeName } from '../../../core/model/values/names.ts';
import { keyOf } from '../../../core/model/cluster/pod.ts';
import type { PodVolumes, Workload } from '../../../simulation/cluster/workload.ts';
import { deployment, scalingGroup, testWorld, withClock } from '../builders.ts';

const ZONE = 'us-east-1b';
const NODES = ['us-east-1a', ZONE].map((zone) => scalingGroup(zone, { zones: [zone], desiredSize: 2 }));

/** Pods that keep their names, and have a volume each. */
const database = (pods: number, volumes: PodVolumes): Workload => ({
  ...deployment('db', pods, { cpu: 1 }),
  kind: 'StatefulSet',
  volumes,
});

test.each([true, false])('pods run in the zone of their volumes, which wait for them: %s', async (waits) => {
  const world = testWorld(NODES);
  world.controllers.apply(database(4, { zone: ZONE, waits }));
  await world.pass(60);
  const pods = world.podsOf('default/db');
  expect(pods.map(({ phase }) => phase)).toEqual(['Running', 'Running', 'Running', 'Running']);
  const zones = pods.map(({ nodeName: node }) => world.api.nodes.get(node!)?.labels['topology.kubernetes.io/zone']);
  expect(new Set(zones)).toEqual(new Set([ZONE]));
  const { persistentVolumeClaims, persistentVolumes, csiNodes } = world.api.storage();
  expect(persistentVolumeClaims.map(({ name, phase }) => `${name} ${phase}`)).toEqual(
    [0, 1, 2, 3].map((n) => `data-db-${n} Bound`),
  );
  expect(persistentVolumes).toHaveLength(4);
  expect(csiNodes).toHaveLength(world.api.nodes.size);
});

test('a volume follows its pod: it is detached from the one node before the other gets it', async () => {
  const world = testWorld(NODES, { faults: { volumeDetach: () => 40_000 } });
  world.controllers.apply(database(1, { zone: ZONE, waits: false }));
  await world.pass(30);
  const [before] = world.podsOf('default/db');
  const first = before!.nodeName!;
  const attachedTo = async () => await withClock(world, () => world.reader.attachedVolumes(first));
  expect(await attachedTo()).toEqual(['pvc-default-data-db-0']);

  world.api.putNode({ ...world.api.nodes.get(first)!, unschedulable: true });
  world.api.deletePod(keyOf(before!));
  await world.pass(20);
  const [after] = world.podsOf('default/db');
  expect([after!.name, after!.phase]).toEqual(['db-0', 'Pending']);
  expect(after!.nodeName).not.toBe(first);
  expect(await attachedTo()).toHaveLength(1);

  await world.pass(50);
  expect(world.podsOf('default/db')[0]!.phase).toBe('Running');
  expect(await attachedTo()).toEqual([]);
  expect(world.ofKind('VolumeAttached').map(({ node }) => node)).toEqual([first, after!.nodeName!]);
});

test('a node that is deleted has no volumes and no CSINode any more', async () => {
  const world = testWorld(NODES);
  world.controllers.apply(database(1, { zone: ZONE, waits: true }));
  await world.pass(30);
  const node = nodeName(world.podsOf('default/db')[0]!.nodeName!);
  world.api.deleteNode(node);
  await world.pass(60);
  expect(world.podsOf('default/db')[0]!.phase).toBe('Running');
  const { volumeAttachments, csiNodes } = world.api.storage();
  expect(volumeAttachments.map(({ nodeName: at }) => at)).toEqual([world.podsOf('default/db')[0]!.nodeName]);
  expect(csiNodes.some(({ name }) => name === node)).toBe(false);
});
