import type { V1Node, V1Pod } from '@kubernetes/client-node';
import { describe, expect, test, onTestFinished } from 'vitest';
import { BEST_EFFORT_ATOMIC } from '../../core/model/cluster/provisioning-request.ts';
import { hostileObjects, type Hostile } from '../hostile/objects.ts';
import type { Quirk, Recipe } from '../hostile/recipes.ts';
import { sampleOf } from '../sample.ts';
import { CAPACITY_BUFFERS, PROVISIONING_REQUESTS } from './autoscaling-definitions.ts';
import { type E2eCluster, openCluster } from './cluster.ts';
import { allowOptions } from './local-rights.ts';
import { openNamespace, refusalOf, type Tenant } from './namespace-user.ts';
import type { Kube } from './servers/kube.ts';
import type { Outrigger } from './servers/outrigger.ts';

/** From the creation of the victim's pods to the size that is set for them; printed, as the machine may do other things besides. */
const GOAL_SECONDS = 5;
/** Pods not served at all, or served behind hostile ones, take longer on the slowest machine. */
const LIMIT_SECONDS = 30;
const GROUP = { name: 'm5', instanceType: 'm5.xlarge', zones: ['us-east-1a'], min: 1, max: 40, desired: 1 };
/** Each needs most of a node. */
const POD = { cpuMilli: 3_000, memoryMib: 1_024 };

/** Paths of collections by kind; pods come last, when the objects that they refer to exist. */
const COLLECTIONS: Readonly<Record<string, { readonly apiVersion: string; readonly resource: string }>> = {
  PodDisruptionBudget: { apiVersion: 'policy/v1', resource: 'poddisruptionbudgets' },
  PersistentVolumeClaim: { apiVersion: 'v1', resource: 'persistentvolumeclaims' },
  DaemonSet: { apiVersion: 'apps/v1', resource: 'daemonsets' },
  ReplicaSet: { apiVersion: 'apps/v1', resource: 'replicasets' },
  StatefulSet: { apiVersion: 'apps/v1', resource: 'statefulsets' },
  ReplicationController: { apiVersion: 'v1', resource: 'replicationcontrollers' },
  Job: { apiVersion: 'batch/v1', resource: 'jobs' },
  Pod: { apiVersion: 'v1', resource: 'pods' },
  ResourceQuota: { apiVersion: 'v1', resource: 'resourcequotas' },
  PodTemplate: { apiVersion: 'v1', resource: 'podtemplates' },
  CapacityBuffer: { apiVersion: 'autoscaling.x-k8s.io/v1beta1', resource: 'capacitybuffers' },
  ProvisioningRequest: { apiVersion: 'autoscaling.x-k8s.io/v1', resource: 'provisioningrequests' },
};
/** Kinds that no user with `edit` alone may create. */
const NOT_OF_EDIT = ['ResourceQuota', 'PodTemplate', 'CapacityBuffer', 'ProvisioningRequest'];

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

/** Leaves out the fields that the server fills in. */
function manifestOf({ kind, object }: Hostile, namespace: string): object {
  const { metadata, status: _status, spec, ...rest } = object;
  const { name, labels, annotations, ownerReferences, finalizers } = metadata;
  // Admission takes it from the class.
  const { priority: _, ...given } = { ...spec };
  return {
    ...rest,
    kind,
    apiVersion: COLLECTIONS[kind]!.apiVersion,
    metadata: { name, namespace, labels, annotations, ownerReferences, finalizers },
    ...(spec === undefined ? {} : { spec: given }),
  };
}

/** A namespace whose user has the ClusterRole `edit` there, and no right elsewhere. */
async function openHostileNamespace(kube: Kube, namespace: string): Promise<Tenant> {
  const tenant = await openNamespace(kube, namespace);
  onTestFinished(async () => {
    for (const kind of Object.keys(COLLECTIONS).filter((kind) => !NOT_OF_EDIT.includes(kind))) {
      await kube.removeAll(pathOf(kind, namespace));
    }
    for (const { metadata } of await kube.list(pathOf('Pod', namespace))) {
      await kube.remove(`${pathOf('Pod', namespace)}/${metadata!.name!}`, 0);
    }
  });
  return tenant;
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
    resources: [{ kind: 'resources', count: 1_000 }],
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

  const drawn = sampleOf('hostile objects', recipes, 400);
  test(`each of ${drawn.length} hostile objects of a user with the role edit`, async () => {
    const { kube, name } = await openCluster('accepted');
    const { namespace, user } = await openHostileNamespace(kube, `${name}-evil`);
    const refused: string[] = [];
    for (const recipe of drawn) {
      for (const hostile of hostileObjects([recipe], ['n1'])) {
        const path = `${pathOf(hostile.kind, namespace)}?dryRun=All`;
        await user.create(path, manifestOf(hostile, namespace)).catch((error: unknown) => {
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

const daemonSet = (cpu: number, ...quirks: readonly Quirk[]): Recipe => ({ kind: 'daemonSet', cpu, count: 1, quirks });

/** Indexes of `DAEMON_CPUS`: 3500m of the 3920m of a node, and 0. */
const MOST_OF_A_NODE = 6;
const NOTHING = 8;
/** Index of a selector of terms: pods of all namespaces on a node, without a label that no pod has. */
const ALL_PODS = 9;
const CROWD = 600;
const TERMS = 64;

const ATTACKS: readonly (readonly [name: string, what: string, recipes: readonly Recipe[]])[] = [
  ['hostile-worst', 'the worst objects of each class', WORST(1)],
  [
    'hostile-daemons',
    'DaemonSets that take a node or keep all pods from it',
    [
      daemonSet(MOST_OF_A_NODE),
      daemonSet(NOTHING, { kind: 'podTerms', where: 0, selector: ALL_PODS, count: 1 }),
      daemonSet(MOST_OF_A_NODE, { kind: 'gates', count: 1 }),
      daemonSet(MOST_OF_A_NODE, { kind: 'scheduler', text: 0 }),
      daemonSet(MOST_OF_A_NODE, { kind: 'claim', text: 0, count: 1 }),
      daemonSet(NOTHING, { kind: 'hostPorts', count: 100 }),
    ],
  ],
  [
    'hostile-crowd',
    'a crowd of pods with terms of their own',
    [{ ...pods('pending', { kind: 'podTerms', where: 0, selector: ALL_PODS, count: TERMS }), count: CROWD }],
  ],
];

test.each(sampleOf('attacks', ATTACKS, 1))(
  '%s: beside %s of one namespace, pods of another get their nodes',
  async (name, what, recipes) => {
    const cluster = await openCluster(name);
    const busy = await fillCluster(cluster);
    const tenant = await openHostileNamespace(cluster.kube, `${name}-evil`);
    const nodes = await cluster.kube.list<V1Node>('/api/v1/nodes');
    await attack(cluster, tenant, hostileObjects(recipes, [nodes[0]!.metadata!.name!]));
    await untilRest(cluster);
    await expectNodesSoon(busy, what, 0);
    await untilRunningOrRefused(busy);
    expect(busy.outrigger.logged().filter(({ level }) => level === 'error')).toEqual([]);
  },
);

describe('who asks for capacity ahead of pods in two namespaces', () => {
  /** Pods within the quota of the hostile namespace, and pods within the limit that options set for the other one. */
  const ADMITTED = 3;
  const MOST = 5;
  const BUFFERS: readonly Recipe[] = [
    { kind: 'buffers', count: 20, replicas: 4, by: 'replicas', cpu: 3, quirks: [] },
    { kind: 'requests', count: 30, pods: 4, sets: 1, booked: false, text: 0, cpu: 4, quirks: [] },
    { kind: 'requests', count: 10, pods: 4, sets: 32, booked: false, text: 3, cpu: 3, quirks: [] },
  ];

  /** Pods that each request of the victim is for. */
  const ASKED = 2;
  const PROVISIONED = ['Accepted', 'Provisioned'];
  /** Requests wait for the evaluation of each minute: no webhook tells of them. */
  const TWO_EVALUATIONS = { timeout: 150_000, interval: 500 };

  /**
   * Creates a ProvisioningRequest of the victim.
   *
   * @returns a function that reads the types of its conditions that are true
   */
  async function ask({ kube, name: namespace }: E2eCluster, name: string): Promise<() => Promise<readonly string[]>> {
    const templates = pathOf('PodTemplate', namespace);
    const requests = pathOf('ProvisioningRequest', namespace);
    const resources = { requests: { cpu: `${POD.cpuMilli}m`, memory: `${POD.memoryMib}Mi` } };
    const spec = { containers: [{ name: 'main', image: 'x', resources }] };
    await kube.create(templates, { metadata: { name }, template: { spec } });
    await kube.create(requests, {
      apiVersion: 'autoscaling.x-k8s.io/v1',
      kind: 'ProvisioningRequest',
      metadata: { name },
      spec: { provisioningClassName: BEST_EFFORT_ATOMIC, podSets: [{ podTemplateRef: { name }, count: ASKED }] },
    });
    onTestFinished(async () => {
      await kube.remove(`${requests}/${name}`);
      await kube.remove(`${templates}/${name}`);
    });
    return async () => {
      const { status } = await kube.get<Pick<V1Pod, 'status'>>(`${requests}/${name}`);
      return (status?.conditions ?? []).flatMap(({ type, status }) => (status === 'True' ? [type] : []));
    };
  }

  test('holds what the quota, or else the option, leaves each; requests of others are answered, and their pods get nodes', async () => {
    const cluster = await openCluster('ahead');
    const { kube } = cluster;
    await defineResources(kube);
    const options = { capacityBuffers: true, provisioningRequests: true };
    await allowOptions(cluster, options);
    const file = await cluster.optionsFile({ ...options, maxHeadroomPerNamespace: MOST });
    const busy = await fillCluster(cluster, `--options=${file}`);
    const booked = await ask(cluster, 'booked');
    await expect.poll(booked, TWO_EVALUATIONS).toEqual(PROVISIONED);
    const before = sumOf(await cluster.sizes());
    const held = ADMITTED + MOST + ASKED;

    const limited = await openHostileNamespace(kube, 'ahead-limited');
    const hard = { pods: String(ADMITTED), 'requests.cpu': '1000' };
    await kube.create(pathOf('ResourceQuota', limited.namespace), { metadata: { name: 'all' }, spec: { hard } });
    const unlimited = await openHostileNamespace(kube, 'ahead-unlimited');
    const objects = hostileObjects(BUFFERS, []);
    for (const tenant of [limited, unlimited]) {
      for (const kind of NOT_OF_EDIT) {
        expect(await refusalOf(tenant.user.create(pathOf(kind, tenant.namespace), {}))).toMatch(/^403 .*cannot create/);
      }
      await tenant.allow(['', 'autoscaling.x-k8s.io'], ['podtemplates', 'capacitybuffers', 'provisioningrequests']);
      await attack(cluster, tenant, objects);
    }
    const late = await ask(cluster, 'late');
    // The API server refuses pods without a CPU request under a quota of CPU: a buffer of such pods would hold nothing either.
    const bare = { metadata: { name: 'bare' }, spec: { containers: [{ name: 'main', image: 'x' }] } };
    expect(await refusalOf(limited.user.create(pathOf('Pod', limited.namespace), bare))).toMatch(
      /^403 .*must specify requests\.cpu/,
    );

    await cluster.recorder.until('nodes for what is left to both', (seen) =>
      seen.sizeChanges().some(({ size }) => size >= before + held),
    );
    await untilRest(cluster);
    expect(sumOf(await cluster.sizes())).toBe(before + held);
    expect([await booked(), await late()]).toEqual([PROVISIONED, PROVISIONED]);
    // Pods of others take the nodes that are held first.
    await expectNodesSoon(busy, 'buffers and requests for thousands of pods', held + ASKED);
  });
});

const VICTIMS = 3;

const sumOf = (sizes: Readonly<Record<string, number>>): number =>
  Object.values(sizes).reduce((sum, size) => sum + size, 0);

/** The custom resources of buffers and requests, until the end of the test. */
async function defineResources(kube: Kube): Promise<void> {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  for (const crd of [CAPACITY_BUFFERS, PROVISIONING_REQUESTS]) {
    await kube.create(path, crd);
    onTestFinished(() => kube.remove(`${path}/${crd.metadata.name}`));
  }
}

interface BusyCluster {
  readonly cluster: E2eCluster;
  readonly outrigger: Outrigger;
  /** Seconds from the creation of pods to the size that is set for them, without hostile objects. */
  readonly ordinary: number;
}

/**
 * Starts Outrigger for a cluster, and fills the nodes: each has a pod of `kube-system`, and no room for one of the victim's pods.
 */
async function fillCluster(cluster: E2eCluster, ...args: readonly string[]): Promise<BusyCluster> {
  const { kube } = cluster;
  await cluster.createGroups(GROUP);
  const system = pathOf('DaemonSet', 'kube-system');
  await kube.create(system, AWS_NODE);
  onTestFinished(() => kube.remove(`${system}/aws-node`));
  cluster.bridge(500);
  await cluster.untilNodes(1);
  const outrigger = await cluster.outriggerWithWebhook('outrigger', ...args);
  // A pod goes to the existing node.
  const ordinary = await secondsToSizes(cluster, 'ordinary', 2, 1);
  await cluster.untilRunning(2);
  return { cluster, outrigger, ordinary };
}

const labels = { app: 'aws-node' };
const AWS_NODE = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'aws-node' },
  spec: {
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        priorityClassName: 'system-node-critical',
        tolerations: [{ operator: 'Exists' }],
        containers: [{ name: 'main', image: 'x', resources: { requests: { cpu: '50m' } } }],
      },
    },
  },
};

/**
 * Creates hostile objects as the user of their namespace, who is refused each kind of them in the namespace of the victim. Waits until
 * kube-scheduler has tried all pods: it takes pods of one priority in the order of their creation.
 */
async function attack(
  { kube, name: others }: E2eCluster,
  { namespace, user }: Tenant,
  objects: readonly Hostile[],
): Promise<void> {
  for (const hostile of new Map(objects.map((one) => [one.kind, one])).values()) {
    const refusal = await refusalOf(user.create(pathOf(hostile.kind, others), manifestOf(hostile, others)));
    expect(refusal).toMatch(new RegExp(`^403 .*cannot create .*in the namespace ."${others}`));
  }
  const create = (hostile: Hostile) => user.create(pathOf(hostile.kind, namespace), manifestOf(hostile, namespace));
  for (const hostile of objects.filter(({ kind }) => kind !== 'Pod')) {
    await create(hostile);
  }
  await Promise.all(objects.filter(({ kind }) => kind === 'Pod').map(create));
  const isTried = ({ spec, status }: V1Pod) =>
    spec!.schedulerName !== 'default-scheduler' ||
    spec!.nodeName !== undefined ||
    status?.conditions?.some(({ type }) => type === 'PodScheduled') === true;
  await kube.until<V1Pod>(pathOf('Pod', namespace), {
    what: 'a verdict about each hostile pod',
    holds: (all) => all.every(isTried),
    describe: (all) => `${all.filter(isTried).length} of ${all.length}`,
  });
}

/** Waits until evaluations set no size any more. */
async function untilRest(cluster: E2eCluster): Promise<void> {
  for (let before = -1, now = 0; before !== now;) {
    before = sumOf(await cluster.sizes());
    await cluster.untilEvaluations(1);
    now = sumOf(await cluster.sizes());
  }
}

/**
 * Waits until each of the victim's pods runs, or Outrigger names the DaemonSet to whose pods kube-scheduler has given the capacity of the
 * new nodes: it takes pods of one priority in an order of its own.
 */
async function untilRunningOrRefused({ cluster, outrigger }: BusyCluster): Promise<void> {
  const isRefused = ({ metadata }: V1Pod): boolean => {
    const decision = outrigger.logged().findLast(({ unschedulable }) => Array.isArray(unschedulable));
    const refusals = (decision?.['unschedulable'] ?? []) as readonly { pod: string; reasons: readonly object[] }[];
    const refusal = refusals.find(({ pod }) => pod === `${cluster.name}/${metadata!.name!}`);
    return JSON.stringify(refusal ?? '').includes(`${cluster.name}-evil/evil-daemon-0-0 takes 3500m`);
  };
  const waiting = async () =>
    (await cluster.kube.list<V1Pod>(pathOf('Pod', cluster.name)))
      .filter((pod) => pod.status?.phase !== 'Running' && !isRefused(pod))
      .map(({ metadata }) => metadata!.name);
  await expect.poll(waiting, { timeout: 120_000, interval: 500 }).toEqual([]);
}

/** @returns seconds from the creation of `count` pods to a size that is larger by `more`. */
async function secondsToSizes(cluster: E2eCluster, name: string, count: number, more: number): Promise<number> {
  const before = sumOf(await cluster.sizes());
  await cluster.createDeployment(name, count, POD);
  const created = performance.now();
  const isEnough = ({ at, size }: { readonly at: number; readonly size: number }) =>
    at >= created && size >= before + more;
  await cluster.recorder.until('sizes for the pods', (seen) => seen.sizeChanges().some(isEnough));
  return (cluster.recorder.sizeChanges().find(isEnough)!.at - created) / 1_000;
}

/** @param empty number of nodes that have capacity for one of the pods each */
async function expectNodesSoon({ cluster, ordinary }: BusyCluster, what: string, empty: number): Promise<void> {
  const seconds = await secondsToSizes(cluster, 'victim', empty + VICTIMS, VICTIMS);
  process.stdout.write(
    `beside ${what}: pods created to sizes set: ${seconds.toFixed(2)} s (goal ${GOAL_SECONDS} s; without: ${ordinary.toFixed(2)} s)\n`,
  );
  expect(seconds).toBeLessThanOrEqual(LIMIT_SECONDS);
}
