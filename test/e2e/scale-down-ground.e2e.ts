import { TerminateInstanceInAutoScalingGroupCommand } from '@aws-sdk/client-auto-scaling';
import type { V1Pod } from '@kubernetes/client-node';
import { expect, test } from 'vitest';
import { openScaleDownGround, type GroundNode, type ScaleDownGround } from './scale-down-ground.ts';

const podsOf = async ({ cluster }: ScaleDownGround): Promise<readonly V1Pod[]> =>
  cluster.kube.list<V1Pod>(`/api/v1/namespaces/${cluster.name}/pods`);

const namesOf = async (ground: ScaleDownGround, app: string): Promise<readonly string[]> =>
  (await podsOf(ground)).filter(({ metadata }) => metadata?.labels?.['app'] === app).map((pod) => pod.metadata!.name!);

/** Ends an instance as Outrigger does: the target comes down with it. */
const terminate = ({ cluster }: ScaleDownGround, { instance }: GroundNode) =>
  cluster.aws.autoScaling.send(
    new TerminateInstanceInAutoScalingGroupCommand({ InstanceId: instance, ShouldDecrementDesiredCapacity: true }),
  );

const cordon = async ({ cluster }: ScaleDownGround, nodes: readonly GroundNode[], unschedulable: boolean) => {
  for (const { name } of nodes) await cluster.kube.patch(`/api/v1/nodes/${name}`, { spec: { unschedulable } });
};

test('pods lie where they make scaling down hard, and fit the kept nodes when the load has gone', async () => {
  const ground = await openScaleDownGround('ground');
  const nodeOf = new Map((await podsOf(ground)).map(({ metadata, spec }) => [metadata!.name!, spec!.nodeName!]));

  expect(ground.nodes).toHaveLength(12);
  expect(ground.kept.map(({ group }) => group)).toEqual(ground.groups);
  for (const { name, pod } of ground.kept) expect([pod, nodeOf.get(pod.split('/')[1]!)]).toEqual([pod, name]);
  const kept = new Set(ground.kept.map(({ name }) => name));
  const guarded = [...(await namesOf(ground, 'web')), ...(await namesOf(ground, 'api'))].map((pod) => nodeOf.get(pod)!);
  expect(guarded.filter((node) => kept.has(node))).toEqual([]);
  expect(new Set(guarded).size).toBeGreaterThanOrEqual(8);
  expect(new Set((await namesOf(ground, 'load')).map((pod) => nodeOf.get(pod)!)).size).toBe(12);

  await ground.ease();
  // All else is evicted from one node after the other, which nothing but the budgets slows down: at first no pod finds
  // a new place, and they give what they have; then there is room on the kept nodes.
  await cordon(ground, ground.nodes, true);
  const answers = async (app: string): Promise<readonly number[]> => {
    const given: number[] = [];
    for (const pod of await namesOf(ground, app)) given.push(await ground.evict(pod));
    return given.toSorted((a, b) => a - b);
  };
  const here = [...(await namesOf(ground, 'web')), ...(await namesOf(ground, 'api'))];
  expect(await answers('web')).toEqual([201, 201, 429, 429, 429, 429, 429, 429]);
  expect(await answers('api')).toEqual([201, 201, 201, 429, 429, 429]);
  await cordon(ground, ground.kept, false);
  // 404: those that have been evicted.
  for (const pod of here) await expect.poll(() => ground.evict(pod)).toBeOneOf([201, 404]);
  const settled = await ground.untilSettled(12);
  const workload = settled.filter(({ metadata }) => metadata?.labels?.['app'] !== 'agent');
  expect(workload.filter(({ spec }) => !kept.has(spec!.nodeName!))).toEqual([]);

  expect(ground.budgets.changes()).toBeGreaterThan(10);
  expect(Object.fromEntries(ground.budgets.leastSpare)).toEqual({ web: 0, api: 0 });
  await ground.budgets.stop();
});

test('an eviction is granted while the budget allows it; the pod ends within its grace period', async () => {
  const ground = await openScaleDownGround('ground-evict');
  const { kube, name } = ground.cluster;
  const [first, second, third] = await namesOf(ground, 'web');
  const [unguarded] = await namesOf(ground, 'load');
  // No successor is ready before there is room again.
  await cordon(ground, ground.nodes, true);
  const watched = Promise.withResolvers<void>();
  const ending = kube.until<V1Pod>(`/api/v1/namespaces/${name}/pods`, {
    what: `the deletion of ${first}`,
    holds: (there) => {
      watched.resolve();
      return there.some(({ metadata }) => metadata?.name === first && metadata?.deletionTimestamp !== undefined);
    },
  });
  await watched.promise;

  expect(await ground.evict(first!)).toBe(201);
  expect(await ground.evict(second!)).toBe(201);
  expect(await ground.evict(third!)).toBe(429);
  expect(await ground.evict(unguarded!)).toBe(201);
  const pod = (await ending).find(({ metadata }) => metadata?.name === first);
  expect(pod?.metadata?.deletionGracePeriodSeconds).toBe(2);
  expect(pod?.status?.conditions).toContainEqual(
    expect.objectContaining({ type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' }),
  );
  await expect.poll(() => namesOf(ground, 'web')).not.toContain(first);
  expect(await ground.evict(third!)).toBe(429);
  // Its successor is ready, and the next one may go.
  await cordon(ground, ground.nodes, false);
  await expect.poll(() => ground.evict(third!)).toBe(201);
  await ground.budgets.stop();
});

test('the Node of a terminated instance goes, and pods that were lost with it are told', async () => {
  const ground = await openScaleDownGround('ground-end');
  const { cluster, bridge, groups } = ground;
  const [bare, storing] = ground.kept;
  // Its pod goes before its instance does; the other one's does not.
  await ground.ease();
  await cluster.kube.remove(podPath(ground, 'bare'), 0);
  await terminate(ground, bare!);
  await cluster.untilNodes(11);
  await terminate(ground, storing!);
  await cluster.untilNodes(10);

  expect(bridge.ended).toEqual([
    { id: bare!.instance, node: bare!.name, lost: [] },
    { id: storing!.instance, node: storing!.name, lost: ['ground-end/storing-0'] },
  ]);
  const sizes = await cluster.sizes();
  expect(groups.map((group) => sizes[group])).toEqual([3, 3, 4]);
});

test('a budget that is violated is noticed', async () => {
  const ground = await openScaleDownGround('ground-violated');
  const pods = await namesOf(ground, 'web');
  // None comes in their place.
  await cordon(ground, ground.nodes, true);
  // Not evicted but deleted, which no budget prevents.
  await Promise.all(pods.slice(0, 4).map((pod) => ground.cluster.kube.remove(podPath(ground, pod))));
  await expect
    .poll(() => ground.budgets.violations)
    .toMatchObject([
      { budget: 'web', healthy: 5, desired: 6 },
      { budget: 'web', healthy: 4, desired: 6 },
    ]);
  await expect(ground.budgets.stop()).rejects.toThrow('web: 5 healthy, requires 6; web: 4 healthy, requires 6');
});

const podPath = ({ cluster }: ScaleDownGround, pod: string): string => `/api/v1/namespaces/${cluster.name}/pods/${pod}`;
