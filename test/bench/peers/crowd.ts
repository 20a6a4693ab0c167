import type { V1Node, V1Pod } from '@kubernetes/client-node';
import { randomUUID } from 'node:crypto';
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
const APPS = 200;

/**
 * Creates the nodes, with pods that run.
 *
 * @returns removes them.
 */
export async function createCrowd(
  { kube }: E2eCluster,
  { nodes, podsPerNode }: Crowd,
  zones: readonly string[],
): Promise<() => Promise<void>> {
  const { etcd } = serverSet;
  await kube.create('/api/v1/namespaces', { metadata: { name: NAMESPACE } }).catch(() => undefined);
  // The API server would take minutes to create as many pods, and kwok to have them run.
  const crowd = Array.from({ length: nodes }, (_, node): readonly Stored[] => [
    [`minions/${nameOf(node)}`, nodeOf(node, podsPerNode, zones)],
    ...Array.from({ length: podsPerNode }, (__, pod): Stored => [
      `pods/${NAMESPACE}/${podName(node, pod)}`,
      podOf(node, pod),
    ]),
  ]).flat();
  await store(etcd, crowd);
  // etcd keeps their order: where the last one is seen, or gone, so are the others.
  const last = (count: number) =>
    kube.until<V1Pod>(`${PODS}?fieldSelector=metadata.name%3D${podName(nodes - 1, podsPerNode - 1)}`, {
      what: count === 0 ? 'the end of the crowd' : 'the crowd',
      holds: (found) => found.length === count,
    });
  await last(1);
  return async () => {
    await erase(
      etcd,
      crowd.map(([path]) => path),
    );
    await last(0);
  };
}

const nameOf = (index: number): string => `${NAMESPACE}-${index}`;
const podName = (node: number, pod: number): string => `pod-${node}-${pod}`;

/** @param node its name */
export const isOfCrowd = (node: string): boolean => node.startsWith(`${NAMESPACE}-`);

function nodeOf(index: number, podsPerNode: number, zones: readonly string[]): V1Node {
  const size = { cpu: `${podsPerNode * 100}m`, memory: `${podsPerNode * 256}Mi`, pods: `${podsPerNode}` };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: nameOf(index),
      uid: randomUUID(),
      creationTimestamp: new Date(),
      labels: {
        ...labelsOfKubelet(nameOf(index), 'amd64'),
        'node.kubernetes.io/instance-type': 'm5.xlarge',
        'topology.kubernetes.io/zone': zones[index % zones.length]!,
      },
    },
    spec: { taints: [TAINT] },
    status: { capacity: size, allocatable: size, conditions: [{ type: 'Ready', status: 'True' }] },
  };
}

const podOf = (node: number, pod: number): V1Pod => {
  const now = new Date();
  const state = { running: { startedAt: now } };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: podName(node, pod),
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
