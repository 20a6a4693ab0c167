import type { V1Node, V1Pod } from '@kubernetes/client-node';
import { expect, onTestFinished, test } from 'vitest';
import { connectionOfKubeconfig } from '../../providers/kubernetes/auth/kubeconfig.ts';
import { openCluster } from './cluster.ts';
import { serverSet } from './server-set.ts';
import { createClusterReader } from '../cluster-access.ts';

/** A pod that no node is for; `gated`: the scheduler is not to look at it yet. */
const podOf = (name: string, gated = false) => ({
  metadata: { name },
  spec: {
    containers: [{ name: 'main', image: 'registry.test/main' }],
    nodeSelector: { kind: 'none' },
    ...(gated ? { schedulingGates: [{ name: 'outrigger.dev/wait' }] } : {}),
  },
});

const conditionOf = ({ status }: V1Pod) => status?.conditions?.find(({ type }) => type === 'PodScheduled');

test('a change check sees how many nodes and pods there are, and whether a pod waits', async () => {
  const { kube, name } = await openCluster('summarize');
  // With the rights that Outrigger is deployed with.
  const connection = await connectionOfKubeconfig({ file: serverSet.outriggerKubeconfig, context: null });
  const reader = createClusterReader(connection);
  onTestFinished(() => reader.close());
  const pods = `/api/v1/namespaces/${name}/pods`;
  const before = (await kube.list<V1Pod>('/api/v1/pods')).length;
  const create = async (...pod: Parameters<typeof podOf>): Promise<void> => {
    await kube.create(pods, podOf(...pod));
  };
  const untilVerdict = async (pod: string, reason: string): Promise<void> => {
    await kube.until<V1Pod>(pods, {
      what: `${reason} for ${pod}`,
      holds: (found) => found.some((one) => one.metadata?.name === pod && conditionOf(one)?.reason === reason),
    });
  };

  expect(await kube.list<V1Node>('/api/v1/nodes')).toEqual([]);
  expect(await reader.summarize()).toEqual({ waiting: false, nodes: 0, pods: before });

  for (const [node, labels] of [
    ['summary-a', {}],
    ['summary-b', {}],
    ['summary-c', { zone: 'b' }],
  ] as const) {
    await kube.create('/api/v1/nodes', { metadata: { name: node, labels } });
    expect((await reader.summarize()).nodes).toBe((await kube.list('/api/v1/nodes')).length);
  }

  await create('gated', true);
  await untilVerdict('gated', 'SchedulingGated');
  expect(await reader.summarize()).toEqual({ waiting: false, nodes: 3, pods: before + 1 });

  await create('unhelped');
  // Before the scheduler's verdict too: it may want a node.
  expect(await reader.summarize()).toEqual({ waiting: true, nodes: 3, pods: before + 2 });
  await untilVerdict('unhelped', 'Unschedulable');
  expect(await reader.summarize()).toEqual({ waiting: true, nodes: 3, pods: before + 2 });

  await kube.remove(`${pods}/unhelped`, 0);
  await kube.remove('/api/v1/nodes/summary-b');
  expect(await reader.summarize()).toEqual({ waiting: false, nodes: 2, pods: before + 1 });
});
