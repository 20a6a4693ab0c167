import type { V1Node, V1PodDisruptionBudget } from '@kubernetes/client-node';
import { expect, test } from 'vitest';
import { type BudgetWatch, watchBudgets } from './budget-watch.ts';
import { type E2eCluster, openCluster } from './cluster.ts';
import { isReady, nodesAtFirstEviction, untilReady } from './ready.ts';
import { createSlowPods, type SlowPods } from './slow-pods.ts';
import { SOON } from './soon.ts';

const ZONES = ['us-east-1a'];

/** At once, and as if the nodes had a day to live. */
const CONSOLIDATION = { ...SOON, consolidateAfter: '0s', consolidationMinNodeAge: '0s', consolidationHorizon: '24h' };

test('three nodes at 58 % become two, within the budget', async () => {
  const cluster = await openCluster('consolidation-delete');
  const [group] = await cluster.createGroups({ name: 'm5', instanceType: 'm5.xlarge', zones: ZONES, desired: 3 });
  const budgets = await deployed(cluster, 3, { replicas: 12, cpu: '570m' });
  await startOutrigger(cluster, 'delete');
  await untilNodes(cluster, 2);
  await untilReady(cluster, 12);
  await cluster.untilEvaluations(3);
  expect(await cluster.sizes()).toEqual({ [group!]: 2 });
  await budgets.stop();
});

test('a node of 16 cpu with pods of 1 cpu becomes one of 4, which is ready before the first eviction', async () => {
  const cluster = await openCluster('consolidation-replace');
  const [large] = await cluster.createGroups({ name: 'large', zones: ZONES, instanceType: 'm5.4xlarge', desired: 1 });
  const [small] = await cluster.createGroups({ name: 'small', zones: ZONES, instanceType: 'm5.xlarge' });
  const budgets = await deployed(cluster, 1, { replicas: 2, cpu: '500m' });
  const readyAtEviction = nodesAtFirstEviction(cluster);
  await startOutrigger(cluster, 'replace');
  const types = await untilNodes(cluster, 1, (nodes) => typesOf(nodes).includes('m5.xlarge'));
  expect(typesOf(types)).toEqual(['m5.xlarge']);
  await untilReady(cluster, 2);
  expect(typesOf(await readyAtEviction)).toEqual(['m5.4xlarge', 'm5.xlarge']);
  await cluster.untilEvaluations(3);
  expect(await cluster.sizes()).toEqual({ [large!]: 0, [small!]: 1 });
  await budgets.stop();
});

const startOutrigger = async (cluster: E2eCluster, consolidation: string): Promise<void> => {
  const options = await cluster.optionsFile({ ...CONSOLIDATION, consolidation });
  cluster.outrigger('outrigger', `--options=${options}`, '--schedule=1s', '--verbose');
};

async function deployed(
  cluster: E2eCluster,
  nodes: number,
  pods: Pick<SlowPods, 'replicas' | 'cpu'>,
): Promise<BudgetWatch> {
  const { kube, name } = cluster;
  cluster.bridge(0);
  await untilNodes(cluster, nodes);
  await createSlowPods(cluster, { ...pods, endSeconds: 1 });
  await kube.until<V1PodDisruptionBudget>(`/apis/policy/v1/namespaces/${name}/poddisruptionbudgets`, {
    what: 'a budget whose pods are all healthy',
    holds: ([budget]) => budget?.status?.currentHealthy === pods.replicas,
  });
  return watchBudgets(cluster);
}

const untilNodes = ({ kube }: E2eCluster, count: number, also: (nodes: readonly V1Node[]) => boolean = () => true) =>
  kube.until<V1Node>('/api/v1/nodes', {
    what: `${count} nodes that take pods`,
    holds: (nodes) =>
      nodes.length === count && nodes.every((node) => isReady(node) && !node.spec?.taints?.length) && also(nodes),
    describe: (nodes) =>
      nodes.map(({ metadata, spec }) => `${metadata?.name} ${JSON.stringify(spec?.taints)}`).join(', '),
  });

const typesOf = (nodes: readonly V1Node[]): readonly string[] =>
  nodes.map(({ metadata }) => metadata?.labels?.['node.kubernetes.io/instance-type'] ?? '').toSorted();
