import { nodeName } from '../../../core/model/values/names.ts';
import { epochMs, minutes, seconds } from '../../../core/model/values/time.ts';
import { evaluated, evaluatedScaleUp } from '../../explained.ts';
import { node, pod } from '../../builders.ts';
import type { TestWorld } from '../../functions/test-world.ts';
import { NOW, running, times } from '../../scenario-builders.ts';

const LEAVING = { key: 'ToBeDeletedByClusterAutoscaler', value: '1767269530', effect: 'NoSchedule' };
const FRESH = { labels: { pool: 'b' } };

/** Half an hour from noon on beside another autoscaler, which acts while Outrigger observes. */
export async function besideAnother(world: TestWorld): Promise<void> {
  const at = async (time: number): Promise<void> => {
    world.time = epochMs(NOW + time);
    await evaluated(world);
  };
  /** Evaluations each minute. */
  const until = async (last: number): Promise<void> => {
    for (let time = world.time + minutes(1); time <= NOW + minutes(last); time += minutes(1)) {
      await at(time - NOW);
    }
  };
  const sized = (name: string, nodes: readonly string[], target = nodes.length): void => {
    const instances = times(target, (i) => running(`i-${name}-${i}`, nodes[i] ?? null));
    world.groups.groups = world.groups.groups.map((group) =>
      group.name === name ? { ...group, targetSize: target, nodes: nodes.map(nodeName), instances } : group,
    );
  };
  const without = (...names: readonly string[]): void => {
    const { nodes = [], pods = [] } = world.objects;
    world.objects = {
      nodes: nodes.filter(({ name }) => !names.includes(name)),
      pods: pods.filter(({ nodeName: on }) => on === null || !names.includes(on)),
    };
  };
  world.objects = {
    ...world.objects,
    pods: (world.objects.pods ?? []).map((one) =>
      one.name === 'waits' ? { ...one, unscheduled: { reason: 'Unschedulable', since: epochMs(NOW - 1_500) } } : one,
    ),
  };
  world.groups.groups = world.groups.groups.map((group) => ({ ...group, price: group.name === 'web-b' ? 0.5 : 0.25 }));
  await at(0);
  // The other launches two nodes for the pod for which Outrigger would have launched one.
  sized('web-b', [], 2);
  await at(seconds(40));
  sized('web-b', ['b1', 'b2']);
  const { nodes = [], pods = [] } = world.objects;
  world.objects = {
    nodes: [...nodes, ...['b1', 'b2'].map((name) => node(name, { cpu: 4, memory: '16Gi' }, FRESH))],
    pods: [
      ...pods.filter(({ name }) => name !== 'waits'),
      pod('waits', { node: 'b1', requests: { cpu: 3 }, owner: 'ReplicaSet/b' }),
    ],
  };
  world.time = NOW + minutes(1);
  await until(12);
  // The other removes the node that Outrigger would have removed a minute ago, and one that Outrigger keeps. It first marks them.
  world.objects = {
    ...world.objects,
    nodes: (world.objects.nodes ?? []).map((one) =>
      ['n1', 'n2'].includes(one.name) ? { ...one, taints: [...one.taints, LEAVING] } : one,
    ),
  };
  await at(minutes(12) + seconds(20));
  world.time = epochMs(NOW + minutes(12));
  sized('web', ['n2', 'n3']);
  without('n1');
  await until(13);
  // The instance leaves its group a minute before the Node is gone.
  sized('web', ['n3']);
  await until(14);
  without('n2');
  // Outrigger would remove the second node of the other, which keeps it.
  await until(15);
}

/** The same, and then the other removes the last node of `web`, after which the decision about pods alone is kept. */
export async function besideAnotherToTheEnd(world: TestWorld): Promise<void> {
  await besideAnother(world);
  world.groups.groups = world.groups.groups.map((group) =>
    group.name === 'web' ? { ...group, targetSize: 0, nodes: [], instances: [] } : group,
  );
  world.time = epochMs(NOW + minutes(17));
  await evaluatedScaleUp(world);
}
