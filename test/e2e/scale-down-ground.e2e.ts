import { TerminateInstanceInAutoScalingGroupCommand } from '@aws-sdk/client-auto-scaling';
import type { V1Pod } from '@kubernetes/client-node';
import { expect, test } from 'vitest';
import { openScaleDownGround, type GroundNode, type ScaleDownGround } from './scale-down-ground.ts';

const podsOf = async ({ cluster }: ScaleDownGround): Promise<readonly V1Pod[]> =>
  cluster.kube.list<V1Pod>(`/api/v1/namespaces/${cluster.name}/pods`);

const namesOf = async (ground: ScaleDownGround, app: string): Promise<readonly string[]> =>
  (await podsOf(ground)).filter(({ metadata }) => metadata?.labels?.['app'] === app).map((pod) => pod.metadata!.name!);

/** Ends a machine as Outrigger does: the target comes down with it. */
const terminate = ({ cluster }: ScaleDownGround, { instance }: GroundNode) =>
  cluster.aws.autoScaling.send(
    new TerminateInstanceInAutoScalingGroupCommand({ InstanceId: instance, ShouldDecrementDesiredCapacity: true }),
  );

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
  // All else is evicted from one node after the other, which nothing but the budgets slows down.
  for (const { name } of ground.nodes.filter((node) => !kept.has(node.name))) {
    await ground.cluster.kube.patch(`/api/v1/nodes/${name}`, { spec: { unschedulable: true } });
  }
  for (const pod of [...(await namesOf(ground, 'web')), ...(await namesOf(ground, 'api'))]) {
    await expect.poll(() => ground.evict(pod), { timeout: 20_000, interval: 100 }).toBe(201);
  }
  const settled = await ground.untilSettled(12, 30_000);
  const workload = settled.filter(({ metadata }) => metadata?.labels?.['app'] !== 'agent');
  expect(workload.filter(({ spec }) => !kept.has(spec!.nodeName!))).toEqual([]);

  expect(ground.budgets.looks()).toBeGreaterThan(10);
  expect(Object.fromEntries(ground.budgets.leastSpare)).toEqual({ web: 0, api: 0 });
  await ground.budgets.stop();
});

test('an eviction is granted while the budget allows it; the pod ends within its grace period', async () => {
  const ground = await openScaleDownGround('ground-evict');
  const [first, second, third] = await namesOf(ground, 'web');
  const [unguarded] = await namesOf(ground, 'load');

  expect(await ground.evict(first!)).toBe(201);
  expect(await ground.evict(second!)).toBe(201);
  expect(await ground.evict(third!)).toBe(429);
  expect(await ground.evict(unguarded!)).toBe(201);
  const ending = (await podsOf(ground)).find(({ metadata }) => metadata?.name === first);
  expect(ending?.metadata?.deletionGracePeriodSeconds).toBe(2);
  expect(ending?.status?.conditions).toContainEqual(
    expect.objectContaining({ type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' }),
  );
  await expect.poll(() => namesOf(ground, 'web'), { timeout: 5_000, interval: 50 }).not.toContain(first);
  // Its successor is ready, and the next one may go.
  await expect.poll(() => ground.evict(third!), { timeout: 10_000, interval: 50 }).toBe(201);
  await ground.budgets.stop();
});

test('the Node of a terminated instance goes, and pods that were lost with it are told', async () => {
  const ground = await openScaleDownGround('ground-end');
  const { cluster, bridge, groups } = ground;
  const [bare, storing] = ground.kept;
  // Its pod goes before its machine does; the other one's does not.
  await ground.ease();
  await cluster.kube.remove(podPath(ground, 'bare'), 0);
  await terminate(ground, bare!);
  await cluster.untilNodes(11, 10_000);
  await terminate(ground, storing!);
  await cluster.untilNodes(10, 10_000);

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
  // Not evicted but deleted, which no budget keeps anybody from.
  await Promise.all(pods.slice(0, 4).map((pod) => ground.cluster.kube.remove(podPath(ground, pod))));
  await expect.poll(() => ground.budgets.violations.length, { timeout: 5_000, interval: 50 }).toBeGreaterThan(0);
  await expect(ground.budgets.stop()).rejects.toThrow(/web: [45] healthy, wants 6/);
});

const podPath = ({ cluster }: ScaleDownGround, pod: string): string => `/api/v1/namespaces/${cluster.name}/pods/${pod}`;
