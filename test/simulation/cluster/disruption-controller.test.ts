import { expect, test } from 'vitest';
import { minutes } from '../../../core/model/values/time.ts';
import { conditionsOf } from '../../../simulation/cluster/node-readiness.ts';
import { evictionOf } from '../../../simulation/cluster/disruption-controller.ts';
import type { Workload } from '../../../simulation/cluster/workload.ts';
import type { WorldFaults } from '../../../simulation/world-faults.ts';
import { deployment, scalingGroup, START, testWorld, withClock } from '../builders.ts';

async function worldOf(extra: Partial<Workload>, faults: Partial<WorldFaults> = {}) {
  const world = testWorld([scalingGroup('a', { desiredSize: 2 })], { faults });
  const web = deployment('web', 4, { cpu: 0.5 }, extra);
  world.controllers.apply(web);
  await world.pass(20);
  const evict = async (index: number): Promise<string> =>
    (await withClock(world, () => world.writer.evict(world.podsOf('default/web')[index]!, null))).kind;
  /** Its nodes are heard of again, or not. */
  const setReady = (ready: boolean): void =>
    [...world.api.nodes.values()].forEach((node) => {
      world.api.putNode({ ...node, conditions: conditionsOf(ready, START) });
    });
  const setPodReady = (index: number, ready: boolean): void => {
    const { namespace, name } = world.podsOf('default/web')[index]!;
    const [key] = [...world.api.pods].find(([, pod]) => pod.namespace === namespace && pod.name === name)!;
    world.api.updatePod(key, (pod) => ({ ...pod, ready }));
  };
  return { ...world, web, evict, setReady, setPodReady };
}

test.each([
  { minAvailablePercent: 50, allowed: 2 },
  { minAvailablePercent: 51, allowed: 1 },
  { minAvailablePercent: 100, allowed: 0 },
])('a budget of $minAvailablePercent % of four pods allows $allowed', async ({ allowed, ...extra }) => {
  const { api } = await worldOf(extra);
  expect(api.budgets()[0]!.disruptionsAllowed).toBe(allowed);
});

test('two budgets that cover a pod keep it for good', async () => {
  const { evict } = await worldOf({ minAvailable: 0, secondBudget: true });
  expect(await evict(0)).toBe('failed');
});

test.each([
  { unhealthyPodEvictionPolicy: 'IfHealthyBudget', minAvailable: 4, outcome: 'refused' },
  { unhealthyPodEvictionPolicy: 'IfHealthyBudget', minAvailable: 3, outcome: 'done' },
  { unhealthyPodEvictionPolicy: 'AlwaysAllow', minAvailable: 4, outcome: 'done' },
] as const)(
  'a pod that is not ready, by $unhealthyPodEvictionPolicy with three of four ready and $minAvailable needed: $outcome',
  async ({ outcome, ...extra }) => {
    const { evict, setPodReady } = await worldOf(extra);
    setPodReady(0, false);
    expect(await evict(0)).toBe(outcome);
  },
);

test('evictions are counted before the controller comes, and what else has changed is not', async () => {
  let behind = false;
  const { api, evict, setPodReady, pass } = await worldOf(
    { minAvailable: 2 },
    { budgetLag: () => (behind ? 30_000 : 0) },
  );
  expect(api.budgets()[0]!.disruptionsAllowed).toBe(2);
  behind = true;
  setPodReady(0, false);
  expect(api.budgets()[0]).toMatchObject({ disruptionsAllowed: 2, currentHealthy: 4 });
  expect(await evict(1)).toBe('done');
  const [{ disruptionsAllowed, disruptedPods } = {}] = api.budgets();
  expect([disruptionsAllowed, Object.keys(disruptedPods ?? {}).length]).toEqual([1, 1]);
  behind = false;
  await pass(40);
  expect(api.budgets()[0]).toMatchObject({ disruptionsAllowed: 1, currentHealthy: 3, disruptedPods: {} });
});

test('a budget that has changed allows nothing until it is counted anew', async () => {
  let behind = false;
  const { controllers, web, evict, pass } = await worldOf(
    { minAvailable: 2 },
    { budgetLag: () => (behind ? 5_000 : 0) },
  );
  behind = true;
  controllers.apply({ ...web, minAvailable: 1 });
  expect(await evict(0)).toBe('refused');
  behind = false;
  await pass(10);
  expect(await evict(0)).toBe('done');
});

test('pods that are asked to go stay as long as their node is not heard of', async () => {
  const { evict, setReady, pass, podsOf } = await worldOf({});
  const [first] = podsOf('default/web');
  setReady(false);
  expect(await evict(0)).toBe('done');
  await pass(200);
  expect(podsOf('default/web').some(({ uid }) => uid === first!.uid)).toBe(true);
  setReady(true);
  await pass(20);
  expect(podsOf('default/web').some(({ uid }) => uid === first!.uid)).toBe(false);
});

test('the pods of a node that is not ready are taken away after five minutes, and not before', async () => {
  const { setReady, pass, ofKind } = await worldOf({ minAvailable: 4 });
  setReady(false);
  await pass(Number(minutes(5)) / 1_000 - 5);
  expect(ofKind('PodTakenAway')).toEqual([]);
  await pass(10);
  expect(ofKind('PodTakenAway')).toHaveLength(4);
});

test('a node that is ready again in time keeps its pods', async () => {
  const { setReady, pass, ofKind } = await worldOf({});
  setReady(false);
  await pass(200);
  setReady(true);
  await pass(200);
  expect(ofKind('PodTakenAway')).toEqual([]);
});

test('a pod without a budget goes', async () => {
  const { podsOf } = await worldOf({});
  expect(evictionOf(podsOf('default/web')[0]!, [])).toEqual({ kind: 'goes', from: null });
});
