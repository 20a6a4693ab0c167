import type { V1Node, V1Pod } from '@kubernetes/client-node';
import { randomUUID } from 'node:crypto';
import pMap from 'p-map';
import type { E2eCluster } from '../../e2e/cluster.ts';
import { serverSet } from '../../e2e/server-set.ts';
import { erase, store, type Stored } from '../../e2e/servers/etcd.ts';
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
const APPS = 200;

/**
 * Creates the nodes, with pods that run.
 *
 * @returns removes the pods; the cluster removes its nodes by itself.
 */
export async function createCrowd(
  { kube }: E2eCluster,
  { nodes, podsPerNode }: Crowd,
  zones: readonly string[],
): Promise<() => Promise<void>> {
  const { etcd } = serverSet;
  await kube.create('/api/v1/namespaces', { metadata: { name: NAMESPACE } }).catch(() => undefined);
  const indices = Array.from({ length: nodes }, (_, index) => index);
  const options = { concurrency: REQUESTS_AT_A_TIME };
  await pMap(indices, (index) => kube.create('/api/v1/nodes', nodeOf(index, podsPerNode, zones)), options);
  // The API server would take minutes to create as many, and kwok to have them run.
  const pods = indices.flatMap((node) => Array.from({ length: podsPerNode }, (_, pod) => podOf(node, pod)));
  const stored = pods.map((pod): Stored => [`pods/${NAMESPACE}/${pod.metadata!.name}`, pod]);
  await store(etcd, stored);
  const isThere = (count: number) => ({
    what: `${count} running pods of the crowd`,
    holds: (found: readonly V1Pod[]) =>
      found.length === count && found.every(({ status }) => status?.phase === 'Running'),
  });
  await kube.until<V1Pod>(PODS, isThere(pods.length));
  return async () => {
    await erase(
      etcd,
      stored.map(([path]) => path),
    );
    await kube.until<V1Pod>(PODS, isThere(0));
  };
}

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

const podOf = (node: number, pod: number): V1Pod => {
  const now = new Date();
  const state = { running: { startedAt: now } };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `pod-${node}-${pod}`,
      namespace: NAMESPACE,
      uid: randomUUID(),
      creationTimestamp: now,
      labels: { app: `app-${node % APPS}` },
    },
    spec: {
      nodeName: nameOf(node),
      tolerations: [{ key: TAINT.key, operator: 'Exists' }],
      containers: [{ name: 'app', image: 'app', resources: { requests: { cpu: '100m', memory: '256Mi' } } }],
    },
    status: {
      phase: 'Running',
      podIP: '10.0.0.1',
      startTime: now,
      conditions: ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) => ({ type, status: 'True' })),
      containerStatuses: [{ name: 'app', image: 'app', imageID: '', ready: true, restartCount: 0, state }],
    },
  };
};
