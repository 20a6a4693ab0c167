import { describe, expect, test } from 'vitest';
import { groupName } from '../../../core/model/values/names.ts';
import { HOSTNAME_LABEL } from '../../../core/model/cluster/node.ts';
import { keyOf } from '../../../core/model/cluster/pod.ts';
import { plainSpec } from '../../../simulation/cluster/pod-spec.ts';
import type { Workload } from '../../../simulation/cluster/workload.ts';
import { resources, selector, spreadConstraint } from '../../builders.ts';
import { deployment, scalingGroup, testWorld } from '../builders.ts';

/** A world with ready nodes of 4 CPU. */
async function worldWith(nodes = 1) {
  const world = testWorld([scalingGroup('a', { desiredSize: nodes })]);
  await world.pass(60);
  return world;
}

/** Pods of 1 CPU, unless told otherwise. */
const ofPriority = (
  name: string,
  pods: number,
  priority: number,
  { cpu = 1, policy = 'PreemptLowerPriority', ...extra }: Partial<Workload> & { cpu?: number; policy?: string } = {},
): Workload =>
  deployment(name, pods, {}, { spec: plainSpec(resources({ cpu }), { priority, preemptionPolicy: policy }), ...extra });

describe('preemption', () => {
  test('a pod that fits nowhere is nominated to a node whose lesser pods make room, and runs there when they are gone', async () => {
    const world = await worldWith();
    world.controllers.apply(ofPriority('low', 4, 0));
    await world.pass(20);
    world.controllers.apply(ofPriority('high', 1, 100, { cpu: 2 }));
    await world.pass(0.5);
    const [high] = world.podsOf('default/high');
    expect(high).toMatchObject({ nodeName: null, unscheduled: { reason: 'Unschedulable' } });
    expect(high!.nominatedNodeName).toBe([...world.api.nodes.keys()][0]);
    expect(world.ofKind('PodPreempted').map(({ workload, by }) => [workload, by])).toEqual([
      ['default/low', keyOf(high!)],
      ['default/low', keyOf(high!)],
    ]);
    expect(world.podsOf('default/low').filter(({ deletedAt }) => deletedAt !== null)).toHaveLength(2);

    await world.pass(30);
    expect(world.podsOf('default/high')[0]).toMatchObject({ phase: 'Running', nominatedNodeName: null });
    // No more were asked to go, and two wait in the place of those.
    expect(world.ofKind('PodPreempted')).toHaveLength(2);
    expect(world.podsOf('default/low').filter(({ nodeName }) => nodeName === null)).toHaveLength(2);
  });

  test('pods of the same priority, and those whose policy is never to preempt, wait', async () => {
    const world = await worldWith();
    world.controllers.apply(ofPriority('low', 4, 0));
    await world.pass(20);
    world.controllers.apply(ofPriority('same', 1, 0));
    world.controllers.apply(ofPriority('meek', 1, 100, { policy: 'Never' }));
    await world.pass(400);
    expect(world.ofKind('PodPreempted')).toEqual([]);
    expect([...world.podsOf('default/same'), ...world.podsOf('default/meek')]).toMatchObject([
      { nodeName: null, nominatedNodeName: null },
      { nodeName: null, nominatedNodeName: null },
    ]);
  });

  test('the least important pods go, and no more than are in the way', async () => {
    const world = await worldWith(2);
    world.controllers.apply(ofPriority('middle', 4, 50));
    await world.pass(20);
    world.controllers.apply(ofPriority('low', 4, 0));
    await world.pass(20);
    world.controllers.apply(ofPriority('high', 1, 100));
    await world.pass(20);
    expect(world.ofKind('PodPreempted').map(({ workload }) => workload)).toEqual(['default/low']);
  });

  test('a budget is kept where other pods will do, and broken where none will', async () => {
    const world = await worldWith(2);
    world.controllers.apply(ofPriority('guarded', 1, 0, { cpu: 4, minAvailable: 1 }));
    await world.pass(20);
    world.controllers.apply(ofPriority('other', 1, 50, { cpu: 4, policy: 'Never' }));
    await world.pass(20);
    world.controllers.apply(ofPriority('first', 1, 100, { cpu: 4 }));
    await world.pass(20);
    expect(world.ofKind('PodPreempted').map(({ workload }) => workload)).toEqual(['default/other']);

    world.controllers.apply(ofPriority('second', 1, 100, { cpu: 4 }));
    await world.pass(20);
    expect(world.ofKind('PodPreempted').map(({ workload }) => workload)).toEqual(['default/other', 'default/guarded']);
    expect(world.podsOf('default/second')[0]).toMatchObject({ phase: 'Running' });
  });

  test('what is nominated gives way to what is more important, and counts for nothing before it', async () => {
    const world = await worldWith();
    world.controllers.apply(ofPriority('low', 1, 0, { cpu: 4 }));
    await world.pass(20);
    world.controllers.apply(ofPriority('high', 1, 100, { cpu: 4 }));
    await world.pass(0.2);
    world.controllers.apply(ofPriority('highest', 1, 200, { cpu: 4 }));
    await world.pass(0.2);
    expect(world.podsOf('default/high')[0]).toMatchObject({ nominatedNodeName: null });
    await world.pass(20);
    expect(world.podsOf('default/highest')[0]).toMatchObject({ phase: 'Running' });
    expect(world.podsOf('default/high')[0]).toMatchObject({ nodeName: null, nominatedNodeName: null });
    expect(world.ofKind('PodPreempted')).toHaveLength(1);
  });

  test('two pods that look at others are not nominated into the same room', async () => {
    const world = await worldWith(2);
    world.controllers.apply(ofPriority('low', 2, 0, { cpu: 4 }));
    await world.pass(20);
    const spec = plainSpec(resources({ cpu: 3 }), {
      priority: 100,
      topologySpread: [
        spreadConstraint(HOSTNAME_LABEL, selector({ app: 'high' }), { whenUnsatisfiable: 'ScheduleAnyway' }),
      ],
    });
    world.controllers.apply(ofPriority('high', 2, 100, { spec }));
    await world.pass(0.5);
    expect(new Set(world.podsOf('default/high').map(({ nominatedNodeName }) => nominatedNodeName))).toEqual(
      new Set(world.api.nodes.keys()),
    );
    await world.pass(30);
    expect(world.podsOf('default/high')).toMatchObject([{ phase: 'Running' }, { phase: 'Running' }]);
  });

  test('a pod that has preempted others takes a node that is ready before they are gone', async () => {
    const world = await worldWith();
    world.scaling.setDesired(groupName('a'), 2);
    world.controllers.apply(ofPriority('low', 1, 0, { cpu: 4 }));
    await world.pass(20);
    world.controllers.apply(ofPriority('high', 1, 100, { cpu: 4 }));
    await world.pass(0.2);
    const [nominated] = world.podsOf('default/high');
    const node = world.api.nodes.get(nominated!.nominatedNodeName!)!;
    world.api.putNode({ ...node, name: `${node.name}-too` as typeof node.name, uid: 'another' });
    await world.pass(0.2);
    expect(world.podsOf('default/high')[0]).toMatchObject({ nodeName: `${node.name}-too`, nominatedNodeName: null });
    // Its room is free again.
    await world.pass(30);
    expect(world.podsOf('default/low')).toMatchObject([{ nodeName: node.name, phase: 'Running' }]);
  });
});
