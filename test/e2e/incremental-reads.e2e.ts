import type { V1Node, V1Pod } from '@kubernetes/client-node';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { ClusterReader } from '../../core/ports/cluster.ts';
import { connectionOfKubeconfig } from '../../providers/kubernetes/auth/kubeconfig.ts';
import type { ListReport } from '../../providers/kubernetes/read/view/cached-lists.ts';
import { type OwnApiServer, startOwnApiServer } from './own-api-server.ts';
import { awsClients } from './servers/aws-clients.ts';
import { createGroups, deleteGroups, describeGroups } from './servers/aws-setup.ts';
import { type Bridge, startBridge } from './servers/bridge.ts';
import { type Outrigger, startOutrigger } from './servers/outrigger.ts';
import { PATIENCE_MS } from './servers/server-process.ts';
import { serverSet } from './server-set.ts';
import { createClusterReader } from '../cluster-access.ts';

const CLUSTER = 'incremental';
const GROUP = 'incremental-web-a';
const PODS = '/api/v1/namespaces/default/pods';
const QUICKLY = { timeout: PATIENCE_MS, interval: 500 };

let server: OwnApiServer;
let outrigger: Outrigger;
let bridge: Bridge;
/**
 * Two readers of this process, in addition to the reader of `outrigger local`: `kept` has a watch cache, `full` reads
 * full lists.
 */
let readers: { readonly kept: ClusterReader & { close(): void }; readonly full: ClusterReader & { close(): void } };
const reports: ListReport[] = [];
const aws = awsClients(serverSet.awsEndpoint);

beforeAll(async () => {
  server = await startOwnApiServer(CLUSTER);
  const { kube, kubeconfig, logs } = server;
  const connection = await connectionOfKubeconfig({ file: kubeconfig, context: null });
  // On a busy machine a watch may not prove itself in time: the next one is tried all the same.
  const kept = { keptFrom: () => 0, pauseMs: 0, report: (report: ListReport) => void reports.push(report) };
  readers = { kept: createClusterReader(connection, { kept }), full: createClusterReader(connection) };
  await createGroups(aws, { cluster: CLUSTER, name: 'web' });
  const awsEndpoint = serverSet.awsEndpoint;
  bridge = startBridge({ kube, awsEndpoint, cluster: CLUSTER, bootMs: 100 });
  const file = path.join(logs, 'options.yaml');
  await writeFile(
    file,
    JSON.stringify({
      incrementalReads: true,
      incrementalReadsFrom: 0,
      scaleDownUnneededTime: '1s',
      scaleDownDelayAfterAdd: '0s',
      scaleDownDelayAfterDelete: '0s',
      nodeDeleteDelayAfterTaint: '1s',
    }),
  );
  const args = ['--schedule=1s', `--options=${file}`];
  outrigger = startOutrigger({ name: CLUSTER, cluster: CLUSTER, kubeconfig, awsEndpoint, logs, args });
});

afterAll(async () => {
  await outrigger.stop();
  await bridge.stop();
  await deleteGroups(aws, CLUSTER);
  aws.destroy();
  readers.kept.close();
  readers.full.close();
  await server.stop();
});

/** As the scheduler leaves a pod that finds no node. */
async function createWaitingPod(name: string): Promise<void> {
  const { kube } = server;
  await kube.create(PODS, {
    metadata: { name },
    spec: { containers: [{ name: 'main', image: 'registry.test/main', resources: { requests: { cpu: '1500m' } } }] },
  });
  const unschedulable = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'no nodes' };
  await kube.patch(`${PODS}/${name}/status`, {
    status: { phase: 'Pending', conditions: [{ ...unschedulable, lastTransitionTime: new Date().toISOString() }] },
  });
}

/** As kubelet and node controller leave a node once it is ready, and scheduler and kubelet pods once they run there. */
async function playCluster(): Promise<void> {
  const { kube } = server;
  const nodes = await kube.list<V1Node>('/api/v1/nodes');
  const pods = await kube.list<V1Pod>(PODS);
  for (const { metadata } of nodes.filter(({ status: of }) => of?.conditions === undefined)) {
    const now = new Date().toISOString();
    const ready = { type: 'Ready', status: 'True', lastHeartbeatTime: now, lastTransitionTime: now };
    await kube.patch(`/api/v1/nodes/${metadata!.name}`, { spec: { taints: null } });
    await kube.patch(`/api/v1/nodes/${metadata!.name}/status`, { status: { conditions: [ready] } });
  }
  const taken = new Set(pods.map(({ spec }) => spec?.nodeName));
  const free = (await kube.list<V1Node>('/api/v1/nodes')).filter(
    ({ metadata, spec }) => !taken.has(metadata!.name) && (spec?.taints ?? []).length === 0,
  );
  for (const { metadata } of pods.filter(({ spec }) => spec?.nodeName === undefined)) {
    const node = free.shift();
    if (node !== undefined) {
      const target = { kind: 'Node', name: node.metadata!.name };
      await kube.create(`${PODS}/${metadata!.name}/binding`, { metadata: { name: metadata!.name }, target });
      await kube.patch(`${PODS}/${metadata!.name}/status`, { status: { phase: 'Running', conditions: null } });
    }
  }
}

/** Until as many nodes are there as pods run, and the group is of that size. */
const untilNodes = (count: number): Promise<void> =>
  vi.waitFor(async () => {
    await playCluster();
    const [group] = await describeGroups(aws, CLUSTER);
    expect(group).toMatchObject({ AutoScalingGroupName: GROUP, DesiredCapacity: count });
    expect(await server.kube.list('/api/v1/nodes')).toHaveLength(count);
    const running = (await server.kube.list<V1Pod>(PODS)).filter(({ status }) => status?.phase === 'Running');
    expect(running).toHaveLength(count);
  }, QUICKLY);

/** Waits until the long lists are read in this way; the objects of all lists are those of full ones each time. */
async function expectSameView(expected: Readonly<Record<string, string>> = {}): Promise<void> {
  await vi.waitFor(async () => {
    const { kept, full, how } = await viewed();
    differing.push(...(isDeepStrictEqual(kept, full) ? [] : [{ kept, full }]));
    expect(
      Object.fromEntries(how.map(({ resource, how: of }) => [resource, 'why' in of ? of.why : of.kind])),
    ).toMatchObject(expected);
  }, QUICKLY);
  expect(differing).toEqual([]);
}

/** Views that were not those of full lists. */
const differing: object[] = [];

async function viewed() {
  const first = reports.length;
  const before = await readers.full.read();
  const seen = { kept: await readers.kept.read(), full: await readers.full.read(), how: reports.slice(first) };
  // Changes between the two full reads may be in the other, or not: then they are read again.
  expect(seen.full).toEqual(before);
  return seen;
}

/** Watches of pods that the API server has answered since its start. */
async function watchesOfPods(): Promise<number> {
  const counted = /^apiserver_request_total\{(?=.*resource="pods")(?=.*verb="WATCH").*\} (\d+)$/gm;
  const counts = (await server.kube.text('/metrics')).matchAll(counted);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

test('outrigger local scales up and down by cached lists, across a compaction of etcd and a restart of the API server', async () => {
  await expectSameView({ nodes: 'listed', pods: 'listed' });
  await createWaitingPod('first');
  await createWaitingPod('second');
  // Only `outrigger local` watches pods meanwhile. On a busy machine it may have read full lists alone for the first nodes.
  const watchesUntilNodes = async (count: number): Promise<number> => {
    const before = await watchesOfPods();
    await untilNodes(count);
    return (await watchesOfPods()) - before;
  };
  const watches = await watchesUntilNodes(2);
  await expectSameView({ nodes: 'watched', pods: 'watched' });

  await server.compact();
  await createWaitingPod('third');
  expect(watches + (await watchesUntilNodes(3))).toBeGreaterThan(0);
  await expectSameView({ nodes: 'watched', pods: 'watched' });

  // A watch cache that starts anew knows no earlier changes.
  await server.compact();
  await server.restart();
  const restarted = reports.length;
  await createWaitingPod('fourth');
  await expectSameView();
  const since = reports.slice(restarted);
  for (const long of ['nodes', 'pods']) {
    expect(since.find(({ resource }) => resource === long)?.how).toMatchObject({
      kind: 'listed again',
      why: 'expired',
    });
  }
  await untilNodes(4);
  await expectSameView({ nodes: 'watched', pods: 'watched' });

  for (const pod of ['first', 'second', 'third', 'fourth']) await server.kube.remove(`${PODS}/${pod}`, 0);
  await untilNodes(0);
  await expectSameView({ nodes: 'watched', pods: 'watched' });
  expect(outrigger.logged().filter(({ message }) => String(message).includes('differed from the full one'))).toEqual(
    [],
  );
});
