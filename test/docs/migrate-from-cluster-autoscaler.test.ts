/** The migration of docs/migrate-from-cluster-autoscaler.md, and the way back, beside a stand-in for Cluster Autoscaler. */
import { expect, it } from 'vitest';
import { TO_BE_DELETED_TAINT } from '../../core/model/cluster/node.ts';
import { groupName } from '../../core/model/values/names.ts';
import { createMemoryDrains } from '../../providers/memory/drains.ts';
import { createMemoryStore } from '../../providers/memory/store.ts';
import type { Runtime } from '../../runtime/dispatch.ts';
import { deployment, scalingGroup, testWorld, withClock } from '../simulation/builders.ts';
import { startClusterAutoscaler } from '../simulation/runtime/cluster-autoscaler.ts';
import { startRuntime } from '../simulation/runtime/start-runtime.ts';

const A = groupName('a');
const MINUTE = 60;

/** A cluster of one group with one pod on each node. */
function cluster() {
  const world = testWorld([scalingGroup('a', { minSize: 1, maxSize: 20, desiredSize: 2 })]);
  const store = createMemoryStore();
  const drains = createMemoryDrains();
  /** Ends of instances whose node had a pod. */
  const withPods: string[] = [];
  world.onEvent((event) => {
    if (
      event.kind === 'InstanceTerminated' &&
      [...world.api.pods.values()].some(({ nodeName }) => nodeName === event.node)
    ) {
      withPods.push(event.instance);
    }
  });
  return {
    ...world,
    withPods,
    /** The same table with each mode, as the stack has it. */
    outrigger: (mode: 'observe' | 'act') => startRuntime({ world, store, drains, dryRun: mode === 'observe' }),
    closed: async (runtime: Runtime) => await withClock(world, () => runtime.close()),
    clusterAutoscaler: () => startClusterAutoscaler(world, A),
    load: (pods: number) => world.controllers.apply(deployment('web', pods, { cpu: 3 })),
    size: () => world.scaling.sizeOf(A)!.target,
    running: () => world.podsOf('default/web').filter(({ phase }) => phase === 'Running').length,
    increases: () => world.ofKind('SizeSet').flatMap(({ from, to }) => (to > from ? [to] : [])),
    count: (kind: 'SizeSet' | 'InstanceTerminated' | 'NodeTainted' | 'InstanceLaunched') => world.ofKind(kind).length,
  };
}

it('an observing Outrigger leaves every change to Cluster Autoscaler', async () => {
  const { outrigger, clusterAutoscaler, load, pass, size, running, count, ofKind, increases, api } = cluster();
  const other = clusterAutoscaler();
  const observing = outrigger('observe');
  load(5);
  await pass(5 * MINUTE);
  expect([size(), running()]).toEqual([5, 5]);
  load(7);
  await pass(5 * MINUTE);
  load(4);
  await pass(30 * MINUTE);
  expect([size(), running()]).toEqual([4, 4]);
  expect(other.set).toEqual([5, 7]);
  expect(increases()).toEqual(other.set);
  expect(ofKind('InstanceTerminated').map(({ instance }) => instance)).toEqual(other.terminated);
  expect(count('NodeTainted')).toBe(other.tainted.length);
  expect([...api.nodes.values()].filter(({ annotations }) => 'outrigger.dev/removal' in annotations)).toEqual([]);
  observing.stop();
  other.stop();
});

it('an Outrigger that acts after Cluster Autoscaler launches nothing twice, and removes nothing that is needed', async () => {
  const { outrigger, closed, clusterAutoscaler, load, pass, size, running, count, withPods, api } = cluster();
  const other = clusterAutoscaler();
  const observing = outrigger('observe');
  load(6);
  await pass(5 * MINUTE);
  load(4);
  // Cluster Autoscaler is stopped when it has tainted a node, and has not terminated it yet.
  for (let second = 0; other.tainted.length === 0; second += 1) {
    expect(second).toBeLessThan(20 * MINUTE);
    await pass(1);
  }
  other.stop();
  await closed(observing);
  expect([size(), running(), other.terminated]).toEqual([6, 4, []]);

  // Between the two steps nothing scales. The other empty node holds one of the pods of that time.
  const launched = count('InstanceLaunched');
  load(8);
  await pass(90);
  expect([size(), running()]).toEqual([6, 5]);
  const acting = outrigger('act');
  await pass(3 * MINUTE);
  expect([size(), running(), count('InstanceLaunched') - launched]).toEqual([9, 8, 3]);

  // The taint that was left behind is removed when no removal could take that long: 19 min 35 s.
  const isTainted = (): boolean =>
    api.nodes.get(other.tainted[0]!)?.taints.some(({ key }) => key === TO_BE_DELETED_TAINT) ?? false;
  await pass(12 * MINUTE);
  expect(isTainted()).toBe(true);
  await pass(20 * MINUTE);
  expect([isTainted(), running(), count('InstanceLaunched') - launched]).toEqual([false, 8, 3]);

  load(3);
  await pass(30 * MINUTE);
  expect([size(), running()]).toEqual([3, 3]);
  expect(withPods).toEqual([]);
  acting.stop();
});

it('on the way back Cluster Autoscaler finds the groups as they are, and nothing is launched twice', async () => {
  const { outrigger, closed, clusterAutoscaler, load, pass, size, running, count, withPods, ofKind, increases } =
    cluster();
  const acting = outrigger('act');
  load(6);
  await pass(5 * MINUTE);
  load(4);
  await pass(5 * MINUTE);
  await closed(acting);
  const [launched, sizes] = [count('InstanceLaunched'), increases().length];
  const observing = outrigger('observe');
  const other = clusterAutoscaler();
  load(8);
  await pass(5 * MINUTE);
  expect([size(), running(), count('InstanceLaunched') - launched]).toEqual([8, 8, 2]);
  load(5);
  await pass(30 * MINUTE);
  expect([size(), running(), withPods]).toEqual([5, 5, []]);
  expect(increases().slice(sizes)).toEqual(other.set);
  expect(ofKind('InstanceTerminated').map(({ instance }) => instance)).toEqual(other.terminated);
  observing.stop();
  other.stop();
});
