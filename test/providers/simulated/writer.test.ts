import { describe, expect, test } from 'vitest';
import { TO_BE_DELETED_TAINT } from '../../../core/model/cluster/node.ts';
import type { Pod } from '../../../core/model/cluster/pod.ts';
import type { NodeChange } from '../../../core/model/cluster/node-change.ts';
import { candidateTaint, removalTaint } from '../../../core/model/cluster/removal-taints.ts';
import { ApiError } from '../../../providers/simulated/api-call.ts';
import { deployment, scalingGroup, START, testWorld, withClock } from './builders.ts';

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

  test.each([
    ['Throttled', { kind: 'throttled', retryAfterSeconds: null }],
    ['Other', 'rejects'],
  ] as const)('met by an error of class %s: %j', async (failure, expected) => {
    const world = testWorld([scalingGroup('a', { desiredSize: 2 })], {
      faults: { call: ({ operation }) => (operation === 'EvictPod' ? new ApiError(failure, failure, 'no') : null) },
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
