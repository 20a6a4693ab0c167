import { describe, expect, test } from 'vitest';
import { AWAITING_PODS_TAINT, TO_BE_DELETED_TAINT } from '../../../core/model/cluster/node.ts';
import type { Pod } from '../../../core/model/cluster/pod.ts';
import type { NodeChange } from '../../../core/model/cluster/node-change.ts';
import { candidateTaint, removalTaint } from '../../../core/model/cluster/removal-taints.ts';
import { TAINT_REMOVAL } from '../../../core/placement/nodes-awaiting-pods.ts';
import { ServiceError } from '../../../simulation/api-call.ts';
import { deployment, scalingGroup, START, testWorld, withClock } from '../builders.ts';

async function worldWithBudget(minAvailable: number) {
  const world = testWorld([scalingGroup('a', { desiredSize: 2 })]);
  world.controllers.apply(deployment('web', 4, { cpu: 1 }, { minAvailable, annotations: { keep: 'a little' } }));
  await world.pass(20);
  const evict = (pod: Pod) => withClock(world, () => world.writer.evict(pod, null));
  return { ...world, evict };
}

describe('evictions', () => {
  test('no eviction beyond a budget; a refusal names it, and the next one passes once the replacement runs', async () => {
    const world = await worldWithBudget(3);
    const [first, second] = world.podsOf('default/web');
    expect(await world.evict(first!)).toEqual({ kind: 'done' });
    expect(await world.evict(second!)).toMatchObject({ kind: 'refused', message: expect.stringContaining('web') });
    expect(world.ofKind('PodEvicted').map(({ pod }) => pod)).toEqual([`default/${first!.name}`]);
    expect(world.ofKind('EvictionRefused')).toEqual([
      expect.objectContaining({
        pod: `default/${second!.name}`,
        workload: 'default/web',
        node: second!.nodeName,
        budget: 'web',
      }),
    ]);
    await world.pass(30);
    expect(world.podsOf('default/web')).toHaveLength(4);
    expect(await world.evict(second!)).toEqual({ kind: 'done' });
  });

  test('a pod that two budgets cover is asked to go in vain, and the event names both', async () => {
    const world = testWorld([scalingGroup('a', { desiredSize: 2 })]);
    world.controllers.apply(deployment('web', 2, { cpu: 1 }, { minAvailable: 0, secondBudget: true }));
    await world.pass(20);
    const [pod] = world.podsOf('default/web');
    expect(await withClock(world, () => world.writer.evict(pod!, null))).toMatchObject({
      kind: 'failed',
      code: 'SeveralBudgets',
    });
    expect(world.ofKind('PodEvicted')).toEqual([]);
    expect(world.ofKind('EvictionRefused')).toEqual([
      expect.objectContaining({ pod: `default/${pod!.name}`, node: pod!.nodeName, budget: 'web, web-too' }),
    ]);
  });

  test.each([
    ['Throttled', { kind: 'throttled', message: expect.any(String) as string, retryAfterSeconds: null }],
    ['Other', 'rejects'],
  ] as const)('met by an error of class %s: %j', async (failure, expected) => {
    const world = testWorld([scalingGroup('a', { desiredSize: 2 })], {
      faults: { call: ({ operation }) => (operation === 'EvictPod' ? new ServiceError(failure, failure, 'no') : null) },
    });
    world.controllers.apply(deployment('web', 1, { cpu: 1 }));
    await world.pass(20);
    const [pod] = world.podsOf('default/web');
    const outcome = await withClock(world, () => world.writer.evict(pod!, null).catch(() => 'rejects'));
    expect(outcome).toEqual(expected);
  });

  test('pods carry the annotations of their workload, and so do those that replace them', async () => {
    const world = await worldWithBudget(3);
    await world.evict(world.podsOf('default/web')[0]!);
    await world.pass(30);
    expect(world.podsOf('default/web').map(({ annotations }) => annotations)).toEqual(
      Array.from({ length: 4 }, () => ({ keep: 'a little' })),
    );
  });
});

const UNCHANGED: NodeChange = { addTaints: [], removeTaints: [], unschedulable: null, labels: {}, annotations: {} };

test.each([
  ['that it is unneeded', candidateTaint({ nodeLifecycleTaints: false }, START)],
  ['that it is unneeded, by the shared taint', candidateTaint({ nodeLifecycleTaints: true }, START)],
  ['that it is being removed', removalTaint({ nodeLifecycleTaints: false }, START)],
  ['that it is being removed, by the shared taint', removalTaint({ nodeLifecycleTaints: true }, START)],
])('a taint that says of a node %s is told when it is put on and when it is taken off', async (_what, taint) => {
  const world = testWorld([scalingGroup('a', { desiredSize: 1 })]);
  const [node] = [...world.api.nodes.values()];
  const { name, uid } = node!;
  const change = (given: Partial<NodeChange>) =>
    withClock(world, () => world.writer.changeNode(name, uid, { ...UNCHANGED, ...given }));
  await change({ addTaints: [{ key: 'dedicated', value: 'a', effect: 'NoSchedule' }] });
  expect(world.ofKind('NodeTainted')).toEqual([]);
  await change({ addTaints: [taint] });
  await change({ labels: { other: 'change' } });
  expect(world.ofKind('NodeTainted')).toEqual([expect.objectContaining({ node: name, taint })]);
  await change({ removeTaints: [{ key: taint.key, effect: null }] });
  expect(world.ofKind('NodeUntainted')).toEqual([expect.objectContaining({ node: name, taint })]);
});

test('a taint whose value changes is another one', async () => {
  const world = testWorld([scalingGroup('a', { desiredSize: 1 })]);
  const [node] = [...world.api.nodes.values()];
  for (const value of ['1', '2']) {
    await withClock(world, () =>
      world.writer.changeNode(node!.name, node!.uid, {
        ...UNCHANGED,
        addTaints: [{ key: TO_BE_DELETED_TAINT, value, effect: 'NoSchedule' }],
      }),
    );
  }
  expect(world.ofKind('NodeTainted').map(({ taint }) => taint.value)).toEqual(['1', '2']);
  expect(world.ofKind('NodeUntainted').map(({ taint }) => taint.value)).toEqual(['1']);
});

describe('nominations', () => {
  const AWAITING = { key: AWAITING_PODS_TAINT, value: '', effect: 'NoSchedule' };

  /** Two nodes that await their pods, and two pods of which each fills a node. */
  async function worldOfHeldNodes() {
    const world = testWorld([scalingGroup('a', { desiredSize: 2, taints: [AWAITING] })]);
    world.controllers.apply(deployment('web', 2, { cpu: 3 }));
    await world.pass(60);
    const nodes = [...world.api.nodes.values()];
    const nominate = (pod: Pod, to: number) => withClock(world, () => world.writer.nominate(pod, nodes[to]!.name));
    const release = (of: number) =>
      withClock(world, () => world.writer.changeNode(nodes[of]!.name, nodes[of]!.uid, TAINT_REMOVAL));
    return { ...world, nodes, nominate, release };
  }

  test('are followed when the node opens: each pod comes to its own', async () => {
    const world = await worldOfHeldNodes();
    const pods = world.podsOf('default/web');
    expect(pods.map(({ nodeName }) => nodeName)).toEqual([null, null]);
    for (const [pod, node] of [
      [pods[0]!, 1],
      [pods[1]!, 0],
    ] as const) {
      expect(await world.nominate(pod, node)).toEqual({ kind: 'done' });
      await world.release(node);
    }
    await world.pass(20);
    const after = new Map(world.podsOf('default/web').map(({ name, nodeName }) => [name, nodeName]));
    expect(after).toEqual(
      new Map([
        [pods[0]!.name, world.nodes[1]!.name],
        [pods[1]!.name, world.nodes[0]!.name],
      ]),
    );
    expect(world.podsOf('default/web').map(({ nominatedNodeName }) => nominatedNodeName)).toEqual([null, null]);
  });

  test('are gone once a pod was tried in vain, and no other pod loses its room to them', async () => {
    const world = await worldOfHeldNodes();
    const [first] = world.podsOf('default/web');
    await world.nominate(first!, 0);
    // The first is tried again with the other node, and goes there; the second fits where the first had been nominated to.
    await world.release(1);
    await world.pass(20);
    await world.release(0);
    await world.pass(20);
    expect(world.podsOf('default/web').every(({ nodeName }) => nodeName !== null)).toBe(true);
  });

  test('of a pod that is another one by now do nothing', async () => {
    const world = await worldOfHeldNodes();
    const [pod] = world.podsOf('default/web');
    expect(await world.nominate({ ...pod!, uid: 'another' }, 0)).toEqual({ kind: 'gone' });
    expect(world.podsOf('default/web').map(({ nominatedNodeName }) => nominatedNodeName)).toEqual([null, null]);
  });
});
