import type { V1Deployment, V1Node, V1Pod } from '@kubernetes/client-node';
import { expect, test } from 'vitest';
import { openCluster } from './cluster.ts';
import { SOON } from './soon.ts';

const SOFT_TAINT = 'DeletionCandidateOfClusterAutoscaler';

test('a replacement that never registers leaves everything as it was', async () => {
  const cluster = await openCluster('replacement-lost');
  const { kube, name } = cluster;
  const [group] = await cluster.createGroups({ name: 'm5', desired: 1 });
  const bridge = cluster.bridge(0);
  await cluster.untilNodes(1);
  const labels = { app: 'web' };
  await kube.create<V1Deployment>(`/apis/apps/v1/namespaces/${name}/deployments`, {
    metadata: { name: 'web' },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'main', image: 'registry.test/main', resources: { requests: { cpu: '500m' } } }] },
      },
    },
  });
  const pods = `/api/v1/namespaces/${name}/pods`;
  const isReady = ({ status }: V1Pod): boolean =>
    status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;
  const before = await kube.until<V1Pod>(pods, {
    what: 'two pods, both ready',
    holds: (all) => all.length === 2 && all.every(isReady),
  });
  // From now on no instance becomes a node.
  await bridge.stop();

  const options = await cluster.optionsFile({ ...SOON, expireAfter: '1s', maxNodeProvisionTime: '10s' });
  cluster.outrigger('outrigger', `--options=${options}`, '--schedule=1s', '--verbose');
  const untilTaints = async (what: string, keys: readonly string[]): Promise<unknown> =>
    await kube.until<V1Node>('/api/v1/nodes', {
      what,
      holds: ([node]) => JSON.stringify((node?.spec?.taints ?? []).map(({ key }) => key)) === JSON.stringify(keys),
      describe: (nodes) => JSON.stringify(nodes.map(({ spec }) => spec?.taints)),
    });
  await untilTaints('the soft taint of a node that is to be replaced', [SOFT_TAINT]);
  await untilTaints('a node without taints', []);
  // The instance that never registered is terminated after the taint has gone.
  await expect.poll(() => cluster.sizes(), { timeout: 60_000 }).toEqual({ [group!]: 1 });
  await cluster.untilEvaluations(3);
  expect(await cluster.sizes()).toEqual({ [group!]: 1 });
  const uids = (all: readonly V1Pod[]) =>
    all.map(({ metadata }) => metadata?.uid ?? '').toSorted((a, b) => (a < b ? -1 : 1));
  const after = await kube.list<V1Pod>(pods);
  expect(uids(after)).toEqual(uids(before));
  expect(after.every(({ metadata }) => metadata?.deletionTimestamp === undefined)).toBe(true);
  const [node] = await kube.list<V1Node>('/api/v1/nodes');
  expect(node?.spec?.unschedulable ?? false).toBe(false);
});
