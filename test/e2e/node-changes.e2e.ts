import type { CoreV1Event, V1Node } from '@kubernetes/client-node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type NodeName, nodeName } from '../../core/model/values/names.ts';
import type { Taint } from '../../core/model/cluster/node.ts';
import { NO_CHANGE, type NodeChange } from '../../core/model/cluster/node-change.ts';
import type { ClusterReader, ClusterWriter } from '../../core/ports/cluster.ts';
import { epochMs } from '../../core/model/values/time.ts';
import { connectionOfKubeconfig } from '../../providers/kubernetes/auth/kubeconfig.ts';
import { type OwnApiServer, startOwnApiServer } from './own-api-server.ts';
import type { Kube } from './servers/kube.ts';
import { createClusterAccess } from '../cluster-access.ts';

// An API server of its own, without controllers: no other client changes anything.
let api: OwnApiServer;
let kube: Kube;
let reader: ClusterReader;
let writer: ClusterWriter;
const warnings: string[] = [];

beforeAll(async () => {
  api = await startOwnApiServer('node-changes');
  ({ kube } = api);
  const connection = await connectionOfKubeconfig({ file: api.kubeconfig, context: null });
  ({ reader, writer } = createClusterAccess(connection, {
    namespace: 'kube-system',
    now: () => epochMs(Date.UTC(2026, 0, 1, 12)),
    warn: (message) => warnings.push(message),
  }));
});

afterAll(async () => {
  await api?.stop();
});

const HARD = { key: 'ToBeDeletedByClusterAutoscaler', value: '1767268800', effect: 'NoSchedule' };

async function createNode(name: string, spec: object = {}): Promise<{ readonly name: NodeName; readonly uid: string }> {
  const { metadata } = await kube.create<V1Node>('/api/v1/nodes', { metadata: { name, labels: { zone: 'a' } }, spec });
  return { name: nodeName(name), uid: metadata!.uid! };
}

const read = async (name: string): Promise<V1Node> => kube.get<V1Node>(`/api/v1/nodes/${name}`);

/** But for the one that the API server puts on every new node. */
const taintsOf = ({ spec }: V1Node) => (spec?.taints ?? []).filter(({ key }) => key !== 'node.kubernetes.io/not-ready');

test('a node is marked in one change, and freed again with what was on it before', async () => {
  const team = { key: 'team', value: 'a', effect: 'NoExecute' };
  const { name, uid } = await createNode('marked', { taints: [team] });
  const mark: NodeChange = {
    ...NO_CHANGE,
    addTaints: [HARD],
    unschedulable: true,
    labels: { 'node.kubernetes.io/exclude-from-external-load-balancers': 'outrigger' },
    annotations: { 'outrigger.dev/removal': '7-a/marked' },
  };
  const version = async () => (await read(name)).metadata!.resourceVersion;

  expect(await writer.changeNode(name, uid, mark)).toEqual({ kind: 'done' });
  const marked = await read(name);
  expect(taintsOf(marked)).toEqual([expect.objectContaining(team), expect.objectContaining(HARD)]);
  expect(marked.spec!.unschedulable).toBe(true);
  expect(marked.metadata!.labels).toMatchObject({
    zone: 'a',
    'node.kubernetes.io/exclude-from-external-load-balancers': 'outrigger',
  });
  const before = await version();
  expect(await writer.changeNode(name, uid, mark)).toEqual({ kind: 'done' });
  expect(await version()).toBe(before);

  const free: NodeChange = {
    addTaints: [],
    removeTaints: [{ key: HARD.key, effect: null }],
    unschedulable: false,
    labels: { 'node.kubernetes.io/exclude-from-external-load-balancers': null },
    annotations: { 'outrigger.dev/removal': null },
  };
  expect(await writer.changeNode(name, uid, free)).toEqual({ kind: 'done' });
  const freed = await read(name);
  expect(taintsOf(freed)).toEqual([expect.objectContaining(team)]);
  expect(freed.spec!.unschedulable ?? false).toBe(false);
  expect(freed.metadata!.labels).toEqual({ zone: 'a' });
  expect(Object.keys(freed.metadata!.annotations ?? {})).toEqual([]);
});

test('a taint is taken off a node as it is known, or as it is by now', async () => {
  const team = { key: 'team', value: 'a', effect: 'NoExecute' };
  const free: NodeChange = { ...NO_CHANGE, removeTaints: [{ key: HARD.key, effect: null }] };
  const release = async (node: string, known: (taints: readonly Taint[]) => readonly Taint[], of?: string) => {
    const { name, uid } = await createNode(node, { taints: [team, HARD] });
    const taints = (await read(name)).spec!.taints!.map(({ key, value = '', effect }) => ({ key, value, effect }));
    const outcome = await writer.changeNode(name, of ?? uid, { ...free, knownTaints: known(taints) });
    return { outcome, left: taintsOf(await read(name)).map(({ key }) => key) };
  };
  const released = { outcome: { kind: 'done' }, left: ['team'] };
  expect(await release('as-known', (taints) => taints)).toEqual(released);
  expect(await release('changed', (taints) => taints.toReversed())).toEqual(released);
  expect(await release('with-fewer', (taints) => [...taints, HARD].slice(-1))).toEqual(released);
  expect(await release('another', (taints) => taints, 'of-the-one-before')).toEqual({
    outcome: { kind: 'gone' },
    left: ['team', HARD.key],
  });
});

test('changes of many at the same time all come through', async () => {
  const { name, uid } = await createNode('crowded');
  const keys = Array.from({ length: 6 }, (_, i) => `example.com/taint-${i}`);
  const outcomes = await Promise.all(
    keys.map((key) =>
      writer.changeNode(name, uid, { ...NO_CHANGE, addTaints: [{ key, value: '', effect: 'PreferNoSchedule' }] }),
    ),
  );
  expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['done']));
  expect(
    taintsOf(await read(name))
      .map(({ key }) => key)
      .toSorted(),
  ).toEqual(keys);
});

test('another node of the same name, and one that is gone, are left alone', async () => {
  const { name } = await createNode('renewed');
  const change = { ...NO_CHANGE, addTaints: [HARD] };
  expect(await writer.changeNode(name, 'of-the-one-before', change)).toEqual({ kind: 'gone' });
  expect(taintsOf(await read(name))).toEqual([]);
  expect(await writer.changeNode(nodeName('never-there'), 'uid', change)).toEqual({ kind: 'gone' });
});

test('an event about a node is recorded where kubectl describe finds it', async () => {
  const { name, uid } = await createNode('told');
  await writer.recordEvent({
    about: { kind: 'Node', name, uid },
    type: 'Normal',
    reason: 'ScaleDown',
    message: 'node removed by Outrigger',
  });
  const events = await kube.list<CoreV1Event>(
    `/api/v1/namespaces/default/events?fieldSelector=${encodeURIComponent(`involvedObject.uid=${uid}`)}`,
  );
  expect(events).toMatchObject([
    { reason: 'ScaleDown', type: 'Normal', message: 'node removed by Outrigger', source: { component: 'outrigger' } },
  ]);
  expect(warnings).toEqual([]);
});

test('a node is read with what may keep its pods, and nothing of other nodes', async () => {
  const namespace = 'reads';
  await kube.create('/api/v1/namespaces', { metadata: { name: namespace } });
  const { name } = await createNode('read');
  await createNode('other');
  const replicaSet = await kube.create<{ metadata: { uid: string } }>(
    `/apis/apps/v1/namespaces/${namespace}/replicasets`,
    {
      metadata: { name: 'web' },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: 'web' } },
        template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'none' }] } },
      },
    },
  );
  const owner = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    name: 'web',
    uid: replicaSet.metadata.uid,
    controller: true,
  };
  for (const [pod, home] of [
    ['here', 'read'],
    ['there', 'other'],
  ] as const) {
    await kube.create(`/api/v1/namespaces/${namespace}/pods`, {
      metadata: { name: pod, labels: { app: 'web' }, ownerReferences: [owner] },
      spec: {
        nodeName: home,
        containers: [{ name: 'main', image: 'none' }],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: `data-of-${pod}` } }],
      },
    });
    await kube.create(`/api/v1/namespaces/${namespace}/persistentvolumeclaims`, {
      metadata: { name: `data-of-${pod}` },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, volumeName: `pv-of-${pod}` },
    });
    await kube.create('/apis/storage.k8s.io/v1/volumeattachments', {
      metadata: { name: `attachment-of-${pod}` },
      spec: { attacher: 'ebs.csi.aws.com', nodeName: home, source: { persistentVolumeName: `pv-of-${pod}` } },
    });
    await kube.patch(`/apis/storage.k8s.io/v1/volumeattachments/attachment-of-${pod}/status`, {
      status: { attached: true },
    });
  }
  await kube.create(`/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`, {
    metadata: { name: 'web' },
    spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
  });

  const { objects, rejected } = await reader.readNode(name);
  expect(rejected).toEqual([]);
  expect(objects.nodes.map((node) => node.name)).toEqual(['read']);
  expect(objects.pods.map((pod) => pod.name)).toEqual(['here']);
  expect(objects.controllers).toMatchObject([{ kind: 'ReplicaSet', name: 'web', replicas: 2 }]);
  expect(objects.podDisruptionBudgets).toMatchObject([{ name: 'web', namespace }]);
  expect(objects.persistentVolumeClaims.map((claim) => claim.name)).toEqual(['data-of-here']);
  expect(await reader.attachedVolumes(name)).toEqual(['pv-of-here']);

  const gone = await reader.readNode(nodeName('never-there'));
  expect([gone.objects.nodes, gone.objects.pods]).toEqual([[], []]);
});
