import type { V1Node, V1Pod } from '@kubernetes/client-node';
import pMap from 'p-map';
import type { E2eCluster } from '../../e2e/cluster.ts';
import { labelsOfKubelet } from '../../e2e/servers/nodes.ts';

/** Nodes full of pods beside the node groups: all that is read and simulated of a large cluster. */
export interface Crowd {
  readonly nodes: number;
  readonly podsPerNode: number;
}

const NAMESPACE = 'crowd';
const PODS = `/api/v1/namespaces/${NAMESPACE}/pods`;
/** Pods of a bench do not fit. */
const TAINT = { key: NAMESPACE, effect: 'NoSchedule' };
const REQUESTS_AT_A_TIME = 48;

/**
 * Creates the nodes with their pods, which run.
 *
 * @returns removes the pods; the cluster removes its nodes by itself.
 */
export async function createCrowd(
  { kube }: E2eCluster,
  { nodes, podsPerNode }: Crowd,
  zones: readonly string[],
): Promise<() => Promise<void>> {
  await kube.create('/api/v1/namespaces', { metadata: { name: NAMESPACE } }).catch(() => undefined);
  const indices = Array.from({ length: nodes }, (_, index) => index);
  const options = { concurrency: REQUESTS_AT_A_TIME };
  await pMap(indices, (index) => kube.create('/api/v1/nodes', nodeOf(index, podsPerNode, zones)), options);
  await pMap(
    indices,
    async (index) => {
      for (let pod = 0; pod < podsPerNode; pod++) {
        await kube.create(PODS, podOf(index, pod));
      }
    },
    options,
  );
  const count = nodes * podsPerNode;
  await kube.until<V1Pod>(PODS, {
    what: `${count} running pods of the crowd`,
    timeoutMs: 1_200_000,
    holds: (pods) => pods.length === count && pods.every(({ status }) => status?.phase === 'Running'),
  });
  return async () => {
    // The API server would not delete all of them within the time of one request.
    await pMap(APPS, (app) => kube.removeAll(`${PODS}?labelSelector=app%3D${app}`), { concurrency: 4 });
    await kube.until(PODS, {
      what: 'no pods of the crowd',
      timeoutMs: 1_200_000,
      holds: (pods) => pods.length === 0,
    });
  };
}

const APPS = Array.from({ length: 200 }, (_, index) => `app-${index}`);

const nameOf = (index: number): string => `${NAMESPACE}-${index}`;

/** @param node its name */
export const isOfCrowd = (node: string): boolean => node.startsWith(`${NAMESPACE}-`);

function nodeOf(index: number, podsPerNode: number, zones: readonly string[]): V1Node {
  const size = { cpu: `${podsPerNode * 100}m`, memory: `${podsPerNode * 256}Mi`, pods: `${podsPerNode}` };
  return {
    metadata: {
      name: nameOf(index),
      labels: {
        ...labelsOfKubelet(nameOf(index), 'amd64'),
        'node.kubernetes.io/instance-type': 'm5.xlarge',
        'topology.kubernetes.io/zone': zones[index % zones.length]!,
      },
    },
    spec: { taints: [TAINT] },
    status: {
      capacity: size,
      allocatable: size,
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  };
}

const podOf = (node: number, pod: number): V1Pod => ({
  metadata: { name: `pod-${node}-${pod}`, labels: { app: APPS[node % APPS.length]! } },
  spec: {
    nodeName: nameOf(node),
    // kwok may write the status of a pod twice, which with another address for each is refused and tried again.
    hostNetwork: true,
    tolerations: [{ key: TAINT.key, operator: 'Exists' }],
    containers: [{ name: 'app', image: 'app', resources: { requests: { cpu: '100m', memory: '256Mi' } } }],
  },
});
