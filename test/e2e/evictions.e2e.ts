import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ClusterReader } from '../../core/ports/cluster.ts';
import type { ClusterObjects } from '../../core/model/scenario.ts';
import { createPdbTracker } from '../../core/scaledown/pdb-tracker.ts';
import { connectionOfKubeconfig } from '../../providers/kubernetes/auth/kubeconfig.ts';
import { type ApiServer, startApiServer } from './servers/api-server.ts';
import { ensureServers } from './servers/cache.ts';
import { type Kube, kube as connect, KubeError } from './servers/kube.ts';
import { createClusterReader } from '../cluster-access.ts';

// An API server of its own, without controllers: what a budget's status says stays as it was written.
let folder: string;
let api: ApiServer;
let kube: Kube;
let reader: ClusterReader & { close(): void };

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'outrigger-evictions-'));
  const logs = path.join(folder, 'logs');
  await mkdir(logs);
  api = await startApiServer(await ensureServers(['controlPlane', 'etcd']), {
    folder: path.join(folder, 'api'),
    logs,
    disabledAdmission: ['ServiceAccount'],
  });
  kube = connect(api.connection);
  reader = createClusterReader(await connectionOfKubeconfig({ file: api.kubeconfig, context: null }));
});

afterAll(async () => {
  reader?.close();
  kube?.close();
  await api?.stop();
  await rm(folder, { recursive: true, force: true });
});

interface Status {
  readonly disruptionsAllowed: number;
  readonly currentHealthy: number;
  readonly desiredHealthy: number;
  readonly expectedPods: number;
  readonly observedGeneration: number;
  readonly disruptedPods?: Readonly<Record<string, string>>;
}

const pods = (namespace: string): string => `/api/v1/namespaces/${namespace}/pods`;
const budgets = (namespace: string): string => `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`;

async function createPod(namespace: string, name: string, app: string, phase: string, ready: boolean): Promise<void> {
  await kube.create(pods(namespace), {
    metadata: { name, labels: { app } },
    spec: { nodeName: 'nowhere', containers: [{ name: 'main', image: 'none' }] },
  });
  await kube.patch(`${pods(namespace)}/${name}/status`, {
    status: { phase, conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  });
}

async function createBudget(namespace: string, name: string, spec: object, status: Status): Promise<void> {
  await kube.create(budgets(namespace), { metadata: { name }, spec: { maxUnavailable: 1, ...spec } });
  await kube.patch(`${budgets(namespace)}/${name}/status`, { status });
}

/** The API server's answer to an eviction: a status code. */
async function evict(namespace: string, name: string, dryRun: boolean): Promise<number> {
  const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { namespace, name } };
  try {
    await kube.create(`${pods(namespace)}/${name}/eviction${dryRun ? '?dryRun=All' : ''}`, body);
    return 201;
  } catch (error) {
    if (error instanceof KubeError) {
      return error.status;
    }
    throw error;
  }
}

const objectsOf = async (namespace: string): Promise<Pick<ClusterObjects, 'pods' | 'podDisruptionBudgets'>> => {
  const { objects } = await reader.read(undefined);
  const here = <T extends { readonly namespace: string }>(list: readonly T[]): readonly T[] =>
    list.filter((one) => one.namespace === namespace);
  return { pods: here(objects.pods), podDisruptionBudgets: here(objects.podDisruptionBudgets) };
};

const UP: Status = {
  disruptionsAllowed: 1,
  currentHealthy: 3,
  desiredHealthy: 2,
  expectedPods: 3,
  observedGeneration: 1,
};

/** Every combination of what a budget may say. */
const SAYINGS = [undefined, 'IfHealthyBudget', 'AlwaysAllow'].flatMap((unhealthyPodEvictionPolicy) =>
  [0, 1].flatMap((disruptionsAllowed) =>
    [0, 1].flatMap((observedGeneration) =>
      [
        [3, 2],
        [2, 2],
        [1, 2],
        [0, 0],
      ].map(([currentHealthy, desiredHealthy]) => ({
        unhealthyPodEvictionPolicy,
        status: {
          ...UP,
          disruptionsAllowed,
          observedGeneration,
          currentHealthy: currentHealthy!,
          desiredHealthy: desiredHealthy!,
        },
      })),
    ),
  ),
);

test('what the budgets allow is what the API server allows', async () => {
  const namespace = 'allowed';
  await kube.create('/api/v1/namespaces', { metadata: { name: namespace } });
  const create = async (app: string): Promise<void> => {
    await createPod(namespace, `${app}-ready`, app, 'Running', true);
    await createPod(namespace, `${app}-unready`, app, 'Running', false);
    await createPod(namespace, `${app}-unknown`, app, 'Unknown', false);
    await createPod(namespace, `${app}-pending`, app, 'Pending', false);
    await createPod(namespace, `${app}-leaving`, app, 'Running', true);
    await kube.remove(`${pods(namespace)}/${app}-leaving`, 3_600);
  };
  const selector = (app: string) => ({ selector: { matchLabels: { app } } });
  const told = SAYINGS.map(async ({ unhealthyPodEvictionPolicy, status }, i) => {
    await create(`told-${i}`);
    await createBudget(namespace, `told-${i}`, { ...selector(`told-${i}`), unhealthyPodEvictionPolicy }, status);
  });
  const disruptedPods = Object.fromEntries(Array.from({ length: 2_001 }, (_, i) => [`p-${i}`, '2026-01-01T12:00:00Z']));
  await Promise.all([
    ...told,
    create('free'),
    create('twice'),
    createBudget(namespace, 'first', selector('twice'), { ...UP, disruptionsAllowed: 9 }),
    createBudget(namespace, 'second', selector('twice'), { ...UP, disruptionsAllowed: 9 }),
    create('crowded'),
    createBudget(namespace, 'crowded', selector('crowded'), { ...UP, disruptedPods }),
    create('other'),
    createBudget(
      namespace,
      'other',
      { selector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['other'] }] } },
      { ...UP, disruptionsAllowed: 0 },
    ),
  ]);

  const objects = await objectsOf(namespace);
  expect(objects.pods).toHaveLength((SAYINGS.length + 4) * 5);
  const counted = createPdbTracker(objects.podDisruptionBudgets);
  const codes = await Promise.all(objects.pods.map(({ name }) => evict(namespace, name, true)));
  const theirs = objects.pods.map(({ name }, i) => `${name}: ${codes[i] === 201}`);
  const ours = objects.pods.map((pod) => `${pod.name}: ${counted.allows(pod).ok}`);
  expect(ours).toEqual(theirs);
  // The codes of evictions that were allowed, refused by one budget, refused because several budgets match, and refused
  // because one budget tracks too many pods.
  expect(new Set(codes)).toEqual(new Set([201, 429, 500, 403]));
});

test('an empty selector covers every pod of its namespace', async () => {
  const namespace = 'all';
  await kube.create('/api/v1/namespaces', { metadata: { name: namespace } });
  await createPod(namespace, 'one', 'any', 'Running', true);
  await createBudget(namespace, 'all', { selector: {} }, { ...UP, disruptionsAllowed: 0 });
  const objects = await objectsOf(namespace);
  expect(createPdbTracker(objects.podDisruptionBudgets).allows(objects.pods[0]!).ok).toBe(false);
  expect(await evict(namespace, 'one', true)).toBe(429);
});

test('what is taken is what the API server takes', async () => {
  const namespace = 'taken';
  await kube.create('/api/v1/namespaces', { metadata: { name: namespace } });
  for (const name of ['a', 'b', 'c', 'd']) {
    await createPod(namespace, name, 'web', 'Running', true);
  }
  const status = { ...UP, disruptionsAllowed: 3, currentHealthy: 4, desiredHealthy: 1, expectedPods: 4 };
  await createBudget(namespace, 'web', { selector: { matchLabels: { app: 'web' } } }, status);
  const before = await objectsOf(namespace);
  const ours = createPdbTracker(before.podDisruptionBudgets);
  for (const pod of before.pods.slice(0, 2)) {
    expect(ours.allows(pod).ok).toBe(true);
    ours.take([pod]);
    expect(await evict(namespace, pod.name, false)).toBe(201);
  }

  // The pods are counted out by now. As drains in progress they take nothing more, and `c`, on its way too, takes one.
  const after = await objectsOf(namespace);
  expect(Object.keys(after.podDisruptionBudgets[0]!.disruptedPods)).toEqual(['a', 'b']);
  const left = createPdbTracker(after.podDisruptionBudgets, before.pods.slice(0, 2));
  const [c, d] = before.pods.slice(2);
  expect(left.canTake([c!])).toMatchObject({ blocked: null, inParallel: true });
  expect(left.canTake([c!, d!])).toMatchObject({ blocked: null, inParallel: false });
  const last = createPdbTracker(after.podDisruptionBudgets, before.pods.slice(0, 3));
  expect(last.allows(d!).ok).toBe(false);
  expect(await evict(namespace, 'c', false)).toBe(201);
  expect(await evict(namespace, 'd', false)).toBe(429);
});
