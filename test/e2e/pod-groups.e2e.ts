import type { V1Pod } from '@kubernetes/client-node';
import { expect, test } from 'vitest';
import { type E2eCluster, openCluster } from './cluster.ts';

const ROOM = 20;
const PODS = 30;

/** A group of nodes for one pod each, 20 of them free, and a PodGroup of 30 pods. */
async function createGang(name: string, minCount: number, max: number): Promise<E2eCluster> {
  const cluster = await openCluster(name);
  await cluster.createGroups({ name: 'm5', max, desired: ROOM });
  cluster.bridge(0);
  await cluster.untilNodes(ROOM);
  await cluster.kube.create(`/apis/scheduling.k8s.io/v1beta1/namespaces/${name}/podgroups`, {
    metadata: { name: 'gang' },
    spec: { schedulingPolicy: { gang: { minCount } } },
  });
  const pods = Array.from({ length: PODS }, (_, i) => ({
    metadata: { name: `member-${i}` },
    spec: {
      schedulingGroup: { podGroupName: 'gang' },
      containers: [{ name: 'main', image: 'registry.test/main', resources: { requests: { cpu: '1500m' } } }],
    },
  }));
  await Promise.all(pods.map((pod) => cluster.kube.create(`/api/v1/namespaces/${name}/pods`, pod)));
  cluster.outrigger('outrigger', '--schedule=1s');
  return cluster;
}

const size = async (cluster: E2eCluster): Promise<number> => Object.values(await cluster.sizes())[0]!;

const placedOf = (pods: readonly V1Pod[]): number => pods.filter(({ spec }) => spec?.nodeName !== undefined).length;

const untilPlaced = ({ kube, name }: E2eCluster, count: number): Promise<readonly V1Pod[]> =>
  kube.until<V1Pod>(`/api/v1/namespaces/${name}/pods`, {
    what: `a node for ${count} pods`,
    holds: (pods) => placedOf(pods) === count,
    describe: (pods) => `${placedOf(pods)} of ${pods.length} have one`,
  });

test('a PodGroup of 30 with room for 20 adds ten nodes if all 30 must have a place', async () => {
  const cluster = await createGang('gang-whole', PODS, 40);
  await untilPlaced(cluster, PODS);
  await cluster.untilEvaluations(3);
  expect(await size(cluster)).toBe(PODS);
});

test('the same PodGroup adds none if the maximum size leaves one of the 30 without a place', async () => {
  const cluster = await createGang('gang-none', PODS, PODS - 1);
  const { message } = await cluster.untilEvent('NotTriggerScaleUp');
  expect(message).toContain('the 30 pods of PodGroup gang-none/gang go together, and 1 of them would have no place');
  await cluster.untilEvaluations(3);
  expect(await size(cluster)).toBe(ROOM);
  await untilPlaced(cluster, 0);
});

test('the same PodGroup adds the nodes that it may if 20 of the 30 are enough', async () => {
  const cluster = await createGang('gang-part', ROOM, PODS - 1);
  await untilPlaced(cluster, PODS - 1);
  await cluster.untilEvaluations(3);
  expect(await size(cluster)).toBe(PODS - 1);
});
