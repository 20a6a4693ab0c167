import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectionOfKubeconfig } from '../../providers/kubernetes/auth/kubeconfig.ts';
import { createTransport, type Transport } from '../../providers/kubernetes/client/transport.ts';
import { NODES, type ObservedKind, POD_LISTS } from '../../providers/kubernetes/read/kinds.ts';
import { listAll } from '../../providers/kubernetes/read/list.ts';
import {
  type CachedListsOptions,
  cachedLists,
  type ListReport,
} from '../../providers/kubernetes/read/view/cached-lists.ts';
import { type OwnApiServer, startOwnApiServer } from './own-api-server.ts';

let server: OwnApiServer;
let transport: Transport;
const signal = new AbortController().signal;
const UNFINISHED = { fieldSelector: 'status.phase!=Succeeded,status.phase!=Failed' };
const PODS_PATH = '/api/v1/namespaces/default/pods';
const POD_SELECTION = { kind: POD_LISTS, query: UNFINISHED };
const NODE_SELECTION = { kind: NODES, query: {} };

beforeAll(async () => {
  server = await startOwnApiServer('cached-lists');
  transport = createTransport(await connectionOfKubeconfig({ file: server.kubeconfig, context: null }));
  for (let index = 0; index < 5; index += 1) {
    await createNode(`n${index}`);
    await createPod(`first-${index}`);
  }
});

afterAll(async () => {
  transport.close();
  await server.stop();
});

const createNode = (name: string): Promise<unknown> => server.kube.create('/api/v1/nodes', { metadata: { name } });

const createPod = (name: string, node: string | null = null): Promise<unknown> =>
  server.kube.create(PODS_PATH, {
    metadata: { name },
    spec: {
      ...(node === null ? {} : { nodeName: node }),
      containers: [{ name: 'main', image: 'registry.test/main', resources: { requests: { cpu: '100m' } } }],
    },
  });

/** A write of another resource, after which the version of the store is that of no node and no pod. */
const somethingElse = (name: string): Promise<unknown> =>
  server.kube.create('/api/v1/namespaces/default/configmaps', { metadata: { name } });

/** On a busy machine a watch may not prove itself in time: the next one is tried all the same. */
function keeping(overrides: Partial<CachedListsOptions> = {}) {
  const how: ListReport['how'][] = [];
  const report = (one: ListReport): void => void how.push(one.how);
  const kept = cachedLists(transport, { keptFrom: () => 1, pauseMs: 0, report, ...overrides });
  return { kept, how };
}

const inFull = async (kind: ObservedKind, query: Readonly<Record<string, string>>): Promise<string> => {
  const { items, rejected } = await listAll(transport, kind, { query, pageSize: 500 }, signal);
  return JSON.stringify({ items, rejected });
};

test('after any writes the cached lists are those that are read in full, byte by byte', async () => {
  const { kept, how } = keeping();
  await kept.list(NODE_SELECTION, signal);
  await kept.list(POD_SELECTION, signal);
  for (let round = 0; round < 6; round += 1) {
    await createNode(`round-${round}`);
    await createPod(`pending-${round}`);
    await createPod(`bound-${round}`, `round-${round}`);
    await server.kube.patch(`${PODS_PATH}/first-0`, { metadata: { labels: { round: String(round) } } });
    await server.kube.patch('/api/v1/nodes/n0', { spec: { unschedulable: round % 2 === 0 } });
    await server.kube.patch(`${PODS_PATH}/bound-${round}/status`, { status: { phase: 'Running' } });
    if (round > 0) {
      await server.kube.patch(`${PODS_PATH}/bound-${round - 1}/status`, { status: { phase: 'Succeeded' } });
      await server.kube.remove(`${PODS_PATH}/pending-${round - 1}`, 0);
      await server.kube.remove(`/api/v1/nodes/round-${round - 1}`);
    }
    await somethingElse(`round-${round}`);
    for (const { kind, query } of [NODE_SELECTION, POD_SELECTION]) {
      const { items, rejected } = await kept.list({ kind, query }, signal);
      expect(JSON.stringify({ items, rejected })).toBe(await inFull(kind, query));
    }
  }
  expect(how.filter(({ kind }) => kind === 'watched').length).toBeGreaterThan(6);
});

test('a pod that was created immediately before is in the list, a hundred times', async () => {
  const { kept, how } = keeping();
  await kept.list(POD_SELECTION, signal);
  for (let time = 0; time < 100; time += 1) {
    const name = `before-${time}`;
    await createPod(name);
    if (time % 20 === 0) {
      await somethingElse(name);
    }
    const { items } = await kept.list(POD_SELECTION, signal);
    expect(items.map((item) => ('name' in item ? item.name : ''))).toContain(name);
  }
  expect(how.filter(({ kind }) => kind === 'watched').length).toBeGreaterThan(80);
});

test('a comparison with a full list finds no difference', async () => {
  const { kept, how } = keeping({ checkedEvery: 1 });
  const isCompared = (): boolean => how.some(({ kind }) => kind === 'checked');
  for (let time = 0; time < 10 && !isCompared(); time += 1) {
    await createPod(`compared-${time}`);
    await somethingElse(`compared-${time}`);
    await kept.list(POD_SELECTION, signal);
  }
  const proven = how.filter(({ kind }) => kind !== 'listed again');
  expect(proven).toMatchObject([{ kind: 'listed' }, { kind: 'watched' }, { kind: 'checked', differing: [] }]);
});
