import type { V1Node, V1Pod } from '@kubernetes/client-node';
import { onTestFinished } from 'vitest';
import type { E2eCluster } from './cluster.ts';

export const isReady = ({ metadata, status }: V1Pod | V1Node): boolean =>
  metadata?.deletionTimestamp === undefined &&
  status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') === true;

/** The nodes that are ready when the first pod is told to go. */
export async function nodesAtFirstEviction({ kube, name }: E2eCluster): Promise<readonly V1Node[]> {
  const stopped = new AbortController();
  onTestFinished(() => stopped.abort());
  const seen = Promise.withResolvers<readonly V1Node[]>();
  void kube
    .watch<V1Pod>(
      `/api/v1/namespaces/${name}/pods`,
      (pods) => {
        if (!pods.some(({ metadata }) => metadata?.deletionTimestamp !== undefined)) return false;
        seen.resolve(kube.list<V1Node>('/api/v1/nodes').then((nodes) => nodes.filter(isReady)));
        return true;
      },
      stopped.signal,
    )
    .catch(seen.reject);
  return seen.promise;
}

/** Waits until the namespace has this number of pods, all ready. */
export const untilReady = ({ kube, name }: E2eCluster, count: number) =>
  kube.until<V1Pod>(`/api/v1/namespaces/${name}/pods`, {
    what: `${count} pods, all ready`,
    holds: (pods) => pods.length === count && pods.every(isReady),
    describe: (pods) => `${pods.length} pods, ${pods.filter(isReady).length} ready`,
  });

/** Waits until the cluster has this number of nodes, all ready, and kube-scheduler may use each. */
export const untilUntainted = ({ kube }: E2eCluster, count: number) =>
  kube.until<V1Node>('/api/v1/nodes', {
    what: `${count} nodes that take pods`,
    holds: (nodes) =>
      nodes.length === count &&
      nodes.every((node) => isReady(node) && !node.spec?.taints?.length && node.spec?.unschedulable !== true),
    describe: (nodes) =>
      nodes.map(({ metadata, spec }) => `${metadata?.name} ${JSON.stringify(spec?.taints)}`).join(', '),
  });
