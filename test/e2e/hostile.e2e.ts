import type { V1Node } from '@kubernetes/client-node';
import { describe, expect, test, onTestFinished } from 'vitest';
import { hostileObjects, type Hostile } from '../hostile/objects.ts';
import type { Quirk, Recipe } from '../hostile/recipes.ts';
import { openCluster } from './cluster.ts';
import type { Kube } from './servers/kube.ts';

/** From the creation of the victim's pods to the size that is set for them. */
const GOAL_SECONDS = 5;
const GROUP = { name: 'm5', instanceType: 'm5.large', zones: ['us-east-1a'], min: 1, max: 40, desired: 1 };
const POD = { cpuMilli: 1_500, memoryMib: 1_024 };

/** Paths of collections by kind; pods come last, when what they refer to is there. */
const COLLECTIONS: Readonly<Record<string, { readonly apiVersion: string; readonly resource: string }>> = {
  PodDisruptionBudget: { apiVersion: 'policy/v1', resource: 'poddisruptionbudgets' },
  PersistentVolumeClaim: { apiVersion: 'v1', resource: 'persistentvolumeclaims' },
  DaemonSet: { apiVersion: 'apps/v1', resource: 'daemonsets' },
  ReplicaSet: { apiVersion: 'apps/v1', resource: 'replicasets' },
  StatefulSet: { apiVersion: 'apps/v1', resource: 'statefulsets' },
  ReplicationController: { apiVersion: 'v1', resource: 'replicationcontrollers' },
  Job: { apiVersion: 'batch/v1', resource: 'jobs' },
  Pod: { apiVersion: 'v1', resource: 'pods' },
};

const pathOf = (kind: string, namespace: string): string => {
  const { apiVersion, resource } = COLLECTIONS[kind]!;
  return `/${apiVersion === 'v1' ? 'api' : 'apis'}/${apiVersion}/namespaces/${namespace}/${resource}`;
};

const pods = (place: 'pending' | 'bound', ...quirks: readonly Quirk[]): Extract<Recipe, { kind: 'pods' }> => ({
  kind: 'pods',
  place,
  count: 1,
  node: 0,
  cpu: 0,
  quirks,
});

/** What the server itself fills in is left to it. */
function manifestOf({ kind, object }: Hostile, namespace: string): unknown {
  const { name, labels, annotations, ownerReferences, finalizers } = object.metadata;
  // Admission takes it from the class.
  const { priority: _, ...spec } = object.spec!;
  return {
    kind,
    apiVersion: COLLECTIONS[kind]!.apiVersion,
    metadata: { name, namespace, labels, annotations, ownerReferences, finalizers },
    spec,
  };
}

async function openHostileNamespace(kube: Kube, name: string): Promise<string> {
  await kube.create('/api/v1/namespaces', { metadata: { name } });
  onTestFinished(async () => {
    for (const kind of Object.keys(COLLECTIONS)) {
      await kube.removeAll(pathOf(kind, name));
    }
    for (const { metadata } of await kube.list(pathOf('Pod', name))) {
      await kube.remove(`${pathOf('Pod', name)}/${metadata!.name!}`, 0);
    }
    await kube.remove(`/api/v1/namespaces/${name}`);
  });
  return name;
}

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);

describe('the API server accepts', () => {
  /** Each quirk with every text and number that its lists hold, and as many as an object takes. */
  const QUIRKS: Readonly<Record<Quirk['kind'], readonly Quirk[]>> = {
    annotation: upTo(13).flatMap((key) => upTo(26).map((value) => ({ kind: 'annotation', key, value }) as const)),
    annotations: [{ kind: 'annotations', count: 1, length: 262_000 }],
    labels: [{ kind: 'labels', count: 5_000 }],
    integer: upTo(5).flatMap((field) => upTo(5).map((value) => ({ kind: 'integer', field, value }) as const)),
    quantity: upTo(5).flatMap((resource) => upTo(6).map((value) => ({ kind: 'quantity', resource, value }) as const)),
    podTerms: upTo(4).flatMap((where) =>
      upTo(6).map((selector) => ({ kind: 'podTerms', where, selector, count: 5_000 }) as const),
    ),
    nodeTerms: [false, true].flatMap((preferred) =>
      [0, 1, 3, 100].map((each) => ({ kind: 'nodeTerms', preferred, each, count: 5_000 }) as const),
    ),
    spread: [false, true].map((hard) => ({ kind: 'spread', hard, count: 5_000 }) as const),
    tolerations: [{ kind: 'tolerations', count: 10_000 }],
    nodeSelector: [{ kind: 'nodeSelector', count: 5_000 }],
    owner: upTo(15).flatMap((name) => upTo(9).map((of) => ({ kind: 'owner', name, of, uid: name }) as const)),
    claim: upTo(7).map((text) => ({ kind: 'claim', text, count: 1_000 }) as const),
    volumes: upTo(3).map((source) => ({ kind: 'volumes', source, count: 5_000 }) as const),
    containers: [false, true].map((init) => ({ kind: 'containers', init, count: 2_000 }) as const),
    hostPorts: [{ kind: 'hostPorts', count: 5_000 }],
    gates: [{ kind: 'gates', count: 1_000 }],
    name: upTo(4).map((text) => ({ kind: 'name', text }) as const),
    finalizer: [{ kind: 'finalizer' }],
    stubborn: [{ kind: 'stubborn' }],
    priority: [],
    scheduler: upTo(15).map((text) => ({ kind: 'scheduler', text }) as const),
    together: [{ kind: 'together' }],
  };
  const recipes: readonly Recipe[] = [
    ...Object.values(QUIRKS)
      .flat()
      .flatMap((quirk) =>
        quirk.kind === 'gates' ? [pods('pending', quirk)] : [pods('pending', quirk), pods('bound', quirk)],
      ),
    ...upTo(8).map((cpu): Recipe => ({ ...pods('bound'), cpu })),
    ...upTo(6).map((cpu): Recipe => ({ kind: 'daemonSet', cpu, count: 1, quirks: [] })),
    { kind: 'budgets', count: 2, length: 253, all: true },
    { kind: 'budgets', count: 2, length: 8, all: false },
    ...(['ReplicaSet', 'StatefulSet', 'Job', 'ReplicationController'] as const).map((of): Recipe => ({
      kind: 'workload',
      of,
      replicas: 3,
      cpu: 0,
      quirks: [],
    })),
    ...upTo(8).flatMap((text) => upTo(4).map((size): Recipe => ({ kind: 'claims', count: 1, text, size }))),
  ];

  test(`each of ${recipes.length} hostile objects`, async () => {
    const { kube, name } = await openCluster('accepted');
    const namespace = await openHostileNamespace(kube, `${name}-evil`);
    const refused: string[] = [];
    for (const recipe of recipes) {
      for (const hostile of hostileObjects([recipe], ['n1'])) {
        const path = `${pathOf(hostile.kind, namespace)}?dryRun=All`;
        await kube.create(path, manifestOf(hostile, namespace)).catch((error: unknown) => {
          refused.push(`${JSON.stringify(recipe)}: ${error instanceof Error ? error.message.slice(0, 700) : ''}`);
        });
      }
    }
    expect(refused).toEqual([]);
  });
});

/** The worst of each class. */
const WORST = (uid: number): readonly Recipe[] => [
  // Annotations that are read: a duration beyond all times, and 260 000 digits.
  pods('bound', { kind: 'annotation', key: 0, value: 4 }),
  pods('pending', { kind: 'annotation', key: 2, value: 18 }),
  pods('bound', { kind: 'annotations', count: 1, length: 262_000 }),
  // Names that are no names.
  pods('bound', { kind: 'owner', name: 1, of: 0, uid: 0 }, { kind: 'annotation', key: 3, value: 0 }),
  pods('bound', { kind: 'owner', name: 2, of: 0, uid: 0 }, { kind: 'annotation', key: 3, value: 0 }),
  pods('pending', { kind: 'claim', text: 6, count: 1 }),
  // Numbers at the ends of their ranges.
  pods('bound', { kind: 'integer', field: 0, value: 0 }),
  pods('bound', { kind: 'integer', field: 1, value: 1 }),
  // Large numbers of things.
  pods('pending', { kind: 'podTerms', where: 0, count: 5_000, selector: 0 }),
  pods('pending', { kind: 'spread', count: 5_000, hard: true }),
  { kind: 'budgets', count: 200, length: 253, all: true },
  { kind: 'daemonSet', cpu: 1, count: 1, quirks: [] },
  // With others that are another's.
  pods('pending', { kind: 'owner', name: 0, of: 3, uid }, { kind: 'together' }),
];

test('beside the worst of them pods get their nodes', async () => {
  const cluster = await openCluster('hostile');
  const { kube, recorder } = cluster;
  await cluster.createGroups(GROUP);
  cluster.bridge(500);
  await cluster.untilNodes(1);
  const outrigger = await cluster.outriggerWithWebhook('outrigger');
  const namespace = await openHostileNamespace(kube, 'hostile-evil');
  const [node] = await kube.list<V1Node>('/api/v1/nodes');
  const objects = hostileObjects(WORST(1), [node!.metadata!.name!]);
  for (const hostile of objects) {
    await kube.create(pathOf(hostile.kind, namespace), manifestOf(hostile, namespace));
  }
  // They are evaluated alone, without other load.
  await cluster.untilEvaluations(3);

  // One goes to the node that is there, if there is room; the others need nodes of their own.
  const before = Object.values(await cluster.sizes()).reduce((sum, size) => sum + size, 0);
  await cluster.createDeployment('victim', 4, POD);
  const created = performance.now();
  await recorder.until('a size for the pods', (seen) =>
    seen.sizeChanges().some(({ at, size }) => at >= created && size >= before + 3),
  );
  const seconds = (recorder.sizeChanges().at(-1)!.at - created) / 1_000;
  process.stdout.write(
    `hostile objects: pods created to sizes set beside ${objects.length} of them: ${seconds.toFixed(2)} s (goal ${GOAL_SECONDS} s)\n`,
  );
  await cluster.untilRunning(4);
  expect(outrigger.logged().filter(({ level }) => level === 'error')).toEqual([]);
});
