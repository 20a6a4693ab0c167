import type { V1Pod } from '@kubernetes/client-node';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { NO_OBJECTS } from '../../core/model/scenario.ts';
import { apiRequest } from '../../providers/kubernetes/client/api-request.ts';
import { DEFAULT_TLS, type Connection } from '../../providers/kubernetes/client/connection.ts';
import type { Answer } from '../../providers/kubernetes/client/exchange.ts';
import { CONFIG_MAPS, NODES, OTHERS, type ObservedKind, POD_LISTS } from '../../providers/kubernetes/read/kinds.ts';
import { connectionOfKubeconfig } from '../../providers/kubernetes/auth/kubeconfig.ts';
import { listJson } from '../../providers/kubernetes/read/json-list.ts';
import { listAll } from '../../providers/kubernetes/read/list.ts';
import { pageReader } from '../../providers/kubernetes/read/page.ts';
import { podTemplateReader } from '../../providers/manifest/pod-template.ts';
import { PROTOBUF } from '../../providers/kubernetes/protobuf/envelope.ts';
import { LISTED_RESOURCES } from '../../providers/kubernetes/read/reader.ts';
import { type Transport, createTransport } from '../../providers/kubernetes/client/transport.ts';
import type { WebhookTarget } from '../../providers/kubernetes/manifests/webhook.ts';
import { installLocalWebhook, type LocalWebhook } from '../../providers/kubernetes/webhook.ts';
import { connection as administrator } from './connection.ts';
import { type Kube, kube as connect } from './servers/kube.ts';
import { PATIENCE_MS } from './servers/server-process.ts';
import { serverSet } from './server-set.ts';
import { createClusterReader } from '../cluster-access.ts';
import { listen } from '../listening.ts';

type Manifest = { readonly [name: string]: unknown };

const NAMESPACE = 'reader';
const IN = `/api/v1/namespaces/${NAMESPACE}`;
/** Marks cluster-scoped objects as this file's. */
const LABELS = { 'outrigger.dev/test': NAMESPACE };

const metadata = (name: string, rest: Manifest = {}): Manifest => ({ name, labels: LABELS, ...rest });

const TERM = { labelSelector: { matchLabels: { app: 'a' } }, topologyKey: 'kubernetes.io/hostname' };

/** Parts of a pod's spec, each of which some pods have: between them they touch all that is read. */
const PARTS: readonly Manifest[] = [
  { nodeSelector: { disk: 'ssd' } },
  {
    tolerations: [
      { key: 'spot', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 30 },
      { operator: 'Exists' },
    ],
  },
  { hostNetwork: true },
  { terminationGracePeriodSeconds: 0 },
  { schedulerName: 'no-scheduler' },
  { schedulingGates: [{ name: 'outrigger.dev/wait' }] },
  { priorityClassName: 'system-node-critical' },
  { restartPolicy: 'Never' },
  {
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: 'cores', operator: 'Gt', values: ['4'] }] },
            { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] },
          ],
        },
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 7, preference: { matchExpressions: [{ key: 'gpu', operator: 'DoesNotExist' }] } },
        ],
      },
    },
  },
  {
    affinity: {
      podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ ...TERM, namespaceSelector: {} }] },
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [{ ...TERM, namespaces: ['default', 'kube-system'] }],
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 100, podAffinityTerm: { ...TERM, matchLabelKeys: ['index'] } },
        ],
      },
    },
  },
  {
    topologySpreadConstraints: [
      {
        maxSkew: 2,
        minDomains: 3,
        topologyKey: 'topology.kubernetes.io/zone',
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['a', 'b'] }] },
        nodeAffinityPolicy: 'Ignore',
        nodeTaintsPolicy: 'Honor',
      },
    ],
  },
  {
    initContainers: [
      { name: 'sidecar', image: 'x', restartPolicy: 'Always', resources: { requests: { cpu: '50m' } } },
      { name: 'init', image: 'x', resources: { limits: { memory: '1Gi' } } },
    ],
  },
  {
    volumes: [
      { name: 'cache', emptyDir: { medium: 'Memory' } },
      { name: 'logs', hostPath: { path: '/var/log' } },
      { name: 'data', persistentVolumeClaim: { claimName: 'data', readOnly: true } },
      {
        name: 'scratch',
        ephemeral: {
          volumeClaimTemplate: {
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          },
        },
      },
      { name: 'inline', csi: { driver: 'inline.csi.example.com' } },
      { name: 'config', configMap: { name: 'settings' } },
      { name: 'ebs', awsElasticBlockStore: { volumeID: 'vol-1' } },
      { name: 'image', rbd: { monitors: ['10.0.0.1:6789'], image: 'i' } },
      { name: 'lun', iscsi: { targetPortal: '10.0.0.2:3260', iqn: 'iqn.2001-04.com.example:x', lun: 0 } },
    ],
  },
];

const CONTAINERS: readonly Manifest[] = [
  {
    name: 'a',
    image: 'x',
    resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '1', memory: '1Gi' } },
  },
  {
    name: 'b',
    image: 'x',
    ports: [{ containerPort: 80 }, { containerPort: 81, hostPort: 81, hostIP: '10.0.0.1', protocol: 'UDP' }],
  },
  { name: 'c', image: 'x', resources: { limits: { 'nvidia.com/gpu': '1', 'ephemeral-storage': '0.5Gi' } } },
];

/** Every part alone, and every pair of neighbours, with one to three containers. */
function variedPods(count: number): readonly Manifest[] {
  return Array.from({ length: count }, (_, i) => ({
    metadata: {
      name: `pod-${i}`,
      labels: { app: i % 2 === 0 ? 'a' : 'b', index: String(i % 7) },
      annotations: i % 3 === 0 ? { note: 'größe-日本', 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'true' } : {},
    },
    spec: {
      ...PARTS[i % PARTS.length],
      ...(i >= PARTS.length ? PARTS[(i + 1 + Math.floor(i / PARTS.length)) % PARTS.length] : {}),
      containers: CONTAINERS.slice(0, 1 + (i % CONTAINERS.length)),
    },
  }));
}

const variedNode = (i: number): Manifest => ({
  metadata: metadata(`${NAMESPACE}-node-${i}`, {
    labels: { ...LABELS, 'topology.kubernetes.io/zone': `us-east-1${'abc'[i % 3]}` },
    annotations: { 'node.alpha.kubernetes.io/ttl': '0' },
  }),
  spec: {
    providerID: `aws:///us-east-1a/i-${i}`,
    unschedulable: i % 5 === 0,
    taints: i % 2 === 0 ? [{ key: 'dedicated', value: 'x', effect: 'NoSchedule' }] : [],
  },
  status: {
    capacity: { cpu: '4', memory: '16393220Ki', pods: '58', 'ephemeral-storage': '83873772Ki' },
    allocatable: { cpu: '3920m', memory: '15000000Ki', pods: '58', 'ephemeral-storage': '76224326324' },
  },
});

const TEMPLATE = { metadata: { labels: { app: 'w' } }, spec: { containers: [CONTAINERS[0]] } };
const JOB_TEMPLATE = { ...TEMPLATE, spec: { ...TEMPLATE.spec, restartPolicy: 'Never' } };
const SELECTOR = { matchLabels: { app: 'w' } };

/** An object of each kind, and of some a second that says less. */
const OBJECTS: readonly (readonly [path: string, object: Manifest])[] = [
  ['/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: metadata('reader-batch'), value: -5, description: 'x' }],
  ['/apis/storage.k8s.io/v1/storageclasses', { metadata: metadata('reader-plain'), provisioner: 'x.example.com' }],
  [
    '/apis/storage.k8s.io/v1/storageclasses',
    {
      metadata: metadata('reader-zonal', { annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } }),
      provisioner: 'ebs.csi.aws.com',
      volumeBindingMode: 'WaitForFirstConsumer',
      allowedTopologies: [{ matchLabelExpressions: [{ key: 'topology.ebs.csi.aws.com/zone', values: ['a', 'b'] }] }],
    },
  ],
  [
    '/api/v1/persistentvolumes',
    {
      metadata: metadata('reader-volume'),
      spec: {
        capacity: { storage: '10Gi' },
        accessModes: ['ReadWriteOnce'],
        csi: { driver: 'ebs.csi.aws.com', volumeHandle: 'vol-2' },
        claimRef: { namespace: NAMESPACE, name: 'data', uid: 'u' },
        nodeAffinity: {
          required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }] },
        },
      },
    },
  ],
  [
    `${IN}/persistentvolumeclaims`,
    {
      metadata: { name: 'data' },
      spec: {
        storageClassName: '',
        volumeName: 'reader-volume',
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '5Gi' } },
        selector: { matchLabels: { a: 'b' } },
      },
    },
  ],
  [
    `${IN}/persistentvolumeclaims`,
    {
      metadata: { name: 'plain' },
      spec: { accessModes: ['ReadOnlyMany'], volumeMode: 'Block', resources: { requests: { storage: '1' } } },
    },
  ],
  ['/apis/resource.k8s.io/v1/deviceclasses', { metadata: metadata('reader-gpus'), spec: {} }],
  [
    '/apis/resource.k8s.io/v1/resourceslices',
    {
      metadata: metadata('reader-slice-0'),
      spec: {
        driver: 'gpu.nvidia.com',
        nodeName: 'reader-node-0',
        pool: { name: 'reader-node-0', generation: 1, resourceSliceCount: 1 },
        devices: [
          { name: 'gpu-0', attributes: { type: { string: 'gpu' } }, capacity: { memory: { value: '80Gi' } } },
          { name: 'gpu-1' },
        ],
      },
    },
  ],
  ['/apis/storage.k8s.io/v1/csidrivers', { metadata: metadata('reader.csi.example.com'), spec: {} }],
  [
    '/apis/storage.k8s.io/v1/csinodes',
    {
      metadata: metadata('reader-node-0'),
      spec: {
        drivers: [
          { name: 'ebs.csi.aws.com', nodeID: 'i-0', topologyKeys: ['zone'], allocatable: { count: 25 } },
          { name: 'efs.csi.aws.com', nodeID: 'i-0', topologyKeys: [] },
        ],
      },
    },
  ],
  [
    '/apis/storage.k8s.io/v1/volumeattachments',
    {
      metadata: metadata('reader-attachment'),
      spec: {
        attacher: 'ebs.csi.aws.com',
        nodeName: 'reader-node-0',
        source: { persistentVolumeName: 'reader-volume' },
      },
    },
  ],
  [
    `/apis/apps/v1/namespaces/${NAMESPACE}/replicasets`,
    { metadata: { name: 'rs' }, spec: { replicas: 0, selector: SELECTOR, template: TEMPLATE } },
  ],
  [
    `/apis/apps/v1/namespaces/${NAMESPACE}/statefulsets`,
    { metadata: { name: 'sts' }, spec: { replicas: 2, serviceName: 'x', selector: SELECTOR, template: TEMPLATE } },
  ],
  [
    `/apis/apps/v1/namespaces/${NAMESPACE}/daemonsets`,
    {
      metadata: { name: 'ds' },
      spec: {
        selector: SELECTOR,
        template: { ...TEMPLATE, spec: { ...TEMPLATE.spec, ...PARTS[1], hostNetwork: true } },
      },
    },
  ],
  [
    `/apis/batch/v1/namespaces/${NAMESPACE}/jobs`,
    { metadata: { name: 'job' }, spec: { parallelism: 2, completions: 4, suspend: true, template: JOB_TEMPLATE } },
  ],
  [
    `${IN}/replicationcontrollers`,
    {
      metadata: { name: 'rc' },
      spec: {
        replicas: 0,
        selector: { app: 'rc' },
        template: { metadata: { labels: { app: 'rc' } }, spec: { containers: [CONTAINERS[0]] } },
      },
    },
  ],
  [
    `/apis/policy/v1/namespaces/${NAMESPACE}/poddisruptionbudgets`,
    {
      metadata: { name: 'some' },
      spec: { maxUnavailable: '50%', selector: SELECTOR, unhealthyPodEvictionPolicy: 'AlwaysAllow' },
    },
  ],
  [
    `/apis/policy/v1/namespaces/${NAMESPACE}/poddisruptionbudgets`,
    { metadata: { name: 'all' }, spec: { minAvailable: 1, selector: {} } },
  ],
  [
    `${IN}/configmaps`,
    { metadata: { name: 'settings' }, data: { priorities: '10:\n  - .*\n', empty: '' }, binaryData: { b: 'AAEC' } },
  ],
];

const CLUSTER_SCOPED = [
  '/api/v1/nodes',
  '/api/v1/persistentvolumes',
  '/apis/storage.k8s.io/v1/storageclasses',
  '/apis/resource.k8s.io/v1/deviceclasses',
  '/apis/resource.k8s.io/v1/resourceslices',
  '/apis/storage.k8s.io/v1/csidrivers',
  '/apis/storage.k8s.io/v1/csinodes',
  '/apis/storage.k8s.io/v1/volumeattachments',
  '/apis/scheduling.k8s.io/v1/priorityclasses',
  '/apis/rbac.authorization.k8s.io/v1/clusterroles',
  '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
];

let kube: Kube;
let connection: Connection;
let transport: Transport;

beforeAll(async () => {
  kube = connect(administrator());
  connection = await connectionOfKubeconfig({ file: serverSet.kubeconfig, context: null });
  transport = createTransport(connection);
  await kube.create('/api/v1/namespaces', { metadata: metadata(NAMESPACE) });
  for (const [path, object] of OBJECTS) {
    await kube.create(path, object);
  }
  await Promise.all(Array.from({ length: 12 }, (_, i) => kube.create('/api/v1/nodes', variedNode(i))));
  await Promise.all(variedPods(PARTS.length ** 2).map((pod) => kube.create(`${IN}/pods`, pod)));
});

afterAll(async () => {
  await kube.removeAll(`${IN}/pods`);
  await kube.remove(`/api/v1/namespaces/${NAMESPACE}`);
  for (const path of CLUSTER_SCOPED) {
    await kube.removeAll(`${path}?labelSelector=${encodeURIComponent('outrigger.dev/test=reader')}`);
  }
  transport.close();
  kube.close();
});

/** A list as the server sends it. */
const listAt = (kind: ObservedKind, accept: string, query: Readonly<Record<string, string>>): Promise<Answer> =>
  transport.send(apiRequest('list', kind.resource, { accept, query }), (answer) => answer);

describe('protobuf says what JSON says', () => {
  test.each([NODES, POD_LISTS, CONFIG_MAPS, ...OTHERS])('$kind', async (kind) => {
    const inJson = await listAt(kind, 'application/json', {});
    const { resourceVersion } = (JSON.parse(inJson.body.toString()) as { metadata: { resourceVersion: string } })
      .metadata;
    // The very same moment: statuses go on changing.
    const inProtobuf = await listAt(kind, PROTOBUF, { resourceVersion, resourceVersionMatch: 'Exact' });
    expect([inJson.contentType, inProtobuf.contentType]).toEqual(['application/json', PROTOBUF]);
    const fromJson = pageReader(kind).page(inJson);
    expect(fromJson.items.length).toBeGreaterThan(0);
    expect(fromJson.rejected).toEqual([]);
    expect(pageReader(kind).page(inProtobuf)).toEqual(fromJson);
  });
});

describe('the reader', () => {
  test('reads every kind, in small pages as in large ones', async () => {
    const read = async (pageSize: number) => {
      const reader = createClusterReader(connection, {
        pageSize,
        configMaps: [
          { namespace: NAMESPACE, name: 'settings' },
          { namespace: NAMESPACE, name: 'missing' },
        ],
      });
      const { objects, rejected } = await reader.read();
      reader.close();
      expect(rejected).toEqual([]);
      return objects;
    };
    // Objects that ask for room need options and definitions: capacity-buffers.e2e.ts and provisioning-requests.e2e.ts read them. PodGroups
    // are of a later version of Kubernetes.
    const {
      excludedNodes: _,
      capacityBuffers: __,
      provisioningRequests: ___,
      podTemplates: ____,
      resourceQuotas: _____,
      capacityQuotas: ______,
      podGroups: _______,
      kubernetesMinor: ________,
      ...KIND_LISTS
    } = NO_OBJECTS;
    const kinds = Object.keys(KIND_LISTS) as (keyof typeof KIND_LISTS)[];
    /** Names without the pods of controllers, which make theirs again and again. */
    const namesOf = (objects: typeof NO_OBJECTS) =>
      Object.fromEntries(
        kinds.map((kind) => [
          kind,
          objects[kind]
            .filter((object) => !('controller' in object) || object.controller === null)
            .map((object) => ('namespace' in object ? `${object.namespace}/${object.name}` : object.name))
            .filter((name) => name.includes(NAMESPACE))
            .toSorted(),
        ]),
      );
    // Read again while controllers still make something, such as claims for ephemeral volumes.
    const { small, large } = await vi.waitFor(
      async () => {
        const seen = { small: await read(7), large: await read(5_000) };
        expect(namesOf(await read(7))).toEqual(namesOf(seen.small));
        return seen;
      },
      { timeout: PATIENCE_MS, interval: 500 },
    );
    expect(namesOf(small)).toEqual(namesOf(large));
    expect(Object.entries(namesOf(large)).filter(([, names]) => names.length === 0)).toEqual([]);
    expect(large.configMaps).toMatchObject([{ name: 'settings', data: { priorities: '10:\n  - .*\n', empty: '' } }]);
    // As the control plane of the tests is built (test/e2e/servers/modules/controlplane).
    expect(large.kubernetesMinor).toBe(35);
  });

  test('reads no more than 16 MiB of a namespace, and goes on with the namespaces behind it', async () => {
    const env = [{ name: 'X', value: 'x'.repeat(1024 * 1024) }];
    const names = Array.from({ length: 20 }, (_, i) => `large-${String(i).padStart(2, '0')}`);
    const create = async (namespace: string, name: string, rest: Manifest): Promise<void> => {
      const template = { spec: { containers: [{ ...CONTAINERS[0], ...rest }] } };
      await kube.create(`/api/v1/namespaces/${namespace}/podtemplates`, { metadata: { name }, template });
    };
    for (const namespace of ['sized-a', 'sized-b', 'sized-c']) {
      await kube.create('/api/v1/namespaces', { metadata: metadata(namespace) });
    }
    await Promise.all([
      create('sized-a', 'small', {}),
      ...names.map(async (name) => create('sized-b', name, { env })),
      create('sized-c', 'small', {}),
    ]);
    const resource = { group: '', version: 'v1', resource: 'podtemplates' };
    const templates = { kind: 'PodTemplate', resource, read: podTemplateReader, limited: true };
    const { items, rejected } = await listJson(transport, templates, 4, new AbortController().signal);
    const own = items.flatMap(({ namespace, name }) => (namespace.startsWith('sized-') ? `${namespace}/${name}` : []));
    expect(own).toEqual(['sized-a/small', ...names.slice(0, 15).map((name) => `sized-b/${name}`), 'sized-c/small']);
    expect(rejected).toMatchObject([{ place: 'PodTemplate objects of namespace sized-b' }]);
  });

  test('goes on behind a page that was too large with smaller ones, and larger ones again, of the same moment', async () => {
    const room = 256 * 1024;
    const seen: (number | 'too large')[] = [];
    const narrow = createTransport(connection, { maxBodyBytes: room });
    const watched: Transport = {
      ...narrow,
      send: async (request, read, signal) => {
        const limit = Number(request.query['limit']);
        try {
          const answer = await narrow.send(request, read, signal);
          seen.push(limit);
          return answer;
        } catch (error) {
          seen.push('too large');
          throw error;
        }
      },
    };
    // By their names: small pods, large ones in between, small ones again.
    const names = Array.from({ length: 48 }, (_, i) => `page-${String(i).padStart(2, '0')}`);
    const isLarge = (i: number): boolean => i >= 16 && i < 24;
    await kube.create('/api/v1/namespaces', { metadata: metadata('pages') });
    const path = '/api/v1/namespaces/pages/pods';
    await Promise.all(
      names.map((name, i) =>
        kube.create(path, {
          metadata: { name, annotations: isLarge(i) ? { note: 'x'.repeat(room / 4) } : {} },
          spec: { schedulerName: 'no-scheduler', containers: [CONTAINERS[0]] },
        }),
      ),
    );
    const { items, rejected } = await listAll(watched, POD_LISTS, { pageSize: 16, namespace: 'pages' });
    narrow.close();
    await kube.removeAll(path);
    await kube.remove('/api/v1/namespaces/pages');
    expect(rejected).toEqual([]);
    expect(items.map((item) => ('name' in item ? item.name : ''))).toEqual(names);
    // Pages of other sizes were asked for in the middle of the list: it did not begin anew.
    expect(seen.filter((limit) => limit === 16).length).toBeGreaterThan(0);
    expect(seen).toContain('too large');
    expect(seen.some((limit) => limit === 2 || limit === 1)).toBe(true);
    expect(seen.findLast((limit) => limit !== 'too large')).toBeGreaterThan(2);
  });

  test('sees a pod that no node can hold', async () => {
    await kube.create(`${IN}/pods`, {
      metadata: { name: 'huge' },
      spec: { containers: [{ name: 'c', image: 'x', resources: { requests: { cpu: '1000' } } }] },
    });
    await kube.until<V1Pod>(`${IN}/pods`, {
      what: 'the scheduler’s verdict',
      holds: (pods) =>
        pods
          .find((pod) => pod.metadata?.name === 'huge')
          ?.status?.conditions?.some(({ reason }) => reason === 'Unschedulable') === true,
    });
    const reader = createClusterReader(connection);
    expect(await reader.hasPendingPods()).toBe(true);
    reader.close();
  });

  test('needs the rules that it names, and no others', async () => {
    const rules = LISTED_RESOURCES.map(({ group, resource }) => ({
      apiGroups: [group],
      resources: [resource],
      verbs: ['list'],
    }));
    const account = await connectionOfAccount('outrigger', [
      ...rules,
      { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] },
    ]);
    const reader = createClusterReader(account);
    expect((await reader.read()).objects.nodes.length).toBeGreaterThan(0);
    reader.close();

    const without = await connectionOfAccount(
      'halfway',
      rules.filter(({ resources }) => resources[0] !== 'csinodes'),
    );
    const half = createClusterReader(without, { configMaps: [] });
    await expect(half.read()).rejects.toThrow(
      /"list csinodes\.storage\.k8s\.io".*HTTP 403.*\{apiGroups: \["storage\.k8s\.io"\], resources: \["csinodes"\], verbs: \["list"\]\}/,
    );
    half.close();
  });

  test('is told when its token is no good', async () => {
    const reader = createClusterReader({ ...connection, token: () => Promise.resolve('stale') });
    await expect(reader.read()).rejects.toThrow(/HTTP 401.*access entry/);
    reader.close();
  });
});

/** A service account with these rules, and a connection as it. */
async function connectionOfAccount(name: string, rules: readonly Manifest[]): Promise<Connection> {
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  const role = `${NAMESPACE}-${name}`;
  await kube.create(`${IN}/serviceaccounts`, { metadata: { name } });
  await kube.create(`${rbac}/clusterroles`, { metadata: metadata(role), rules });
  await kube.create(`${rbac}/clusterrolebindings`, {
    metadata: metadata(role),
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [{ kind: 'ServiceAccount', namespace: NAMESPACE, name }],
  });
  // The API server shows a binding a moment after it has taken it.
  const user = `system:serviceaccount:${NAMESPACE}:${name}`;
  const resourceAttributes = { verb: 'list', resource: 'nodes' };
  await expect
    .poll(() =>
      kube.create(`/apis/authorization.k8s.io/v1/subjectaccessreviews`, { spec: { user, resourceAttributes } }),
    )
    .toMatchObject({ status: { allowed: true } });
  const { status } = await kube.create<{ status: { token: string } }>(`${IN}/serviceaccounts/${name}/token`, {
    spec: { expirationSeconds: 600 },
  });
  return {
    ...connection,
    tls: { ...DEFAULT_TLS, ca: serverSet.certificateAuthority },
    token: () => Promise.resolve(status.token),
  };
}

describe('the webhook', () => {
  let server: Server;
  let ca: string;
  const notifications: { path: string; reason: string; apiVersion: string }[] = [];
  const waiting: (() => void)[] = [];

  beforeAll(async () => {
    const pems = await generate([{ name: 'commonName', value: 'webhook' }], {
      keyType: 'ec',
      algorithm: 'sha256',
      extensions: [
        { name: 'basicConstraints', cA: true },
        { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
      ],
    });
    ca = pems.cert;
    server = createServer({ key: pems.private, cert: pems.cert }, (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { request: review } = JSON.parse(Buffer.concat(chunks).toString()) as {
          request: { uid: string; object: { reason: string; apiVersion: string } };
        };
        // The API server adds `?timeout=2s`.
        const path = request.url?.split('?', 1)[0] ?? '';
        notifications.push({ path, reason: review.object.reason, apiVersion: review.object.apiVersion });
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(
          JSON.stringify({
            apiVersion: 'admission.k8s.io/v1',
            kind: 'AdmissionReview',
            response: { uid: review.uid, allowed: true },
          }),
        );
        waiting.splice(0).forEach((resume) => resume());
      });
    });
    await listen(server);
  });

  let installed: LocalWebhook | undefined;
  const install = async (target: WebhookTarget): Promise<LocalWebhook> => {
    installed = await installLocalWebhook(transport, NAMESPACE, { ...target, replace: false });
    return installed;
  };

  afterAll(async () => {
    await installed?.remove();
    server.closeAllConnections();
    server.close();
  });

  const nextNotification = (): Promise<void> => new Promise((resolve) => waiting.push(resolve));

  let count = 0;
  const coreEvent = (reason: string): Manifest => ({
    metadata: { name: `core-${count++}`, namespace: NAMESPACE },
    involvedObject: { kind: 'Pod', namespace: NAMESPACE, name: 'pod-0' },
    reason,
    message: 'x',
    type: 'Warning',
  });
  const newEvent = (reason: string): Manifest => ({
    metadata: { name: `new-${count++}`, namespace: NAMESPACE },
    regarding: { kind: 'Pod', namespace: NAMESPACE, name: 'pod-0' },
    reason,
    note: 'x',
    type: 'Warning',
    action: 'Scheduling',
    eventTime: '2026-01-01T00:00:00.000000Z',
    reportingController: 'test',
    reportingInstance: 'test',
  });
  const PATH = '/3f9c5d/reader';
  const CORE = `${IN}/events`;
  const NEW = `/apis/events.k8s.io/v1/namespaces/${NAMESPACE}/events`;

  /** Applies the webhook and waits until the API server has loaded it, which takes a moment. */
  async function putUp(): Promise<WebhookTarget> {
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`;
    const target = { url, ca, schedulerUsers: ['admin'] };
    await install(target);
    notifications.length = 0;
    while (notifications.length === 0) {
      // The server calls before it answers.
      await kube.create(CORE, coreEvent('FailedScheduling'));
    }
    notifications.length = 0;
    return target;
  }

  test('is accepted, is called for both kinds of events and for nothing else, and is removed', async () => {
    const target = await putUp();
    // Applying it again changes nothing.
    const { name, remove } = await install(target);
    const path = `/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/${name}`;
    expect(await kube.get(path)).toMatchObject({
      metadata: { generation: 1 },
      webhooks: [{ failurePolicy: 'Ignore', sideEffects: 'NoneOnDryRun', timeoutSeconds: 2, matchPolicy: 'Exact' }],
    });

    for (const [events, event] of [[CORE, coreEvent] as const, [NEW, newEvent] as const]) {
      await kube.create(events, event('Scheduled'));
      await kube.create(`${events}?dryRun=All`, event('FailedScheduling'));
      await kube.create(events, event('FailedScheduling'));
    }
    // The server asks before it answers, so all notifications are in. The scheduler's own events may be among them.
    const own = notifications.filter(({ apiVersion }) => apiVersion === 'v1');
    expect(own).toEqual([{ path: PATH, reason: 'FailedScheduling', apiVersion: 'v1' }]);
    expect(new Set(notifications.map(({ reason }) => reason))).toEqual(new Set(['FailedScheduling']));
    expect(notifications.some(({ apiVersion }) => apiVersion === 'events.k8s.io/v1')).toBe(true);

    // Another client's change keeps it; as it was installed, it is removed once.
    const other = { ...target, url: target.url.replace('127.0.0.1', 'localhost') };
    await expect(installLocalWebhook(transport, NAMESPACE, { ...other, replace: false })).rejects.toThrow(
      '--replace-webhook',
    );
    const replaced = await installLocalWebhook(transport, NAMESPACE, { ...other, replace: true });
    expect(await remove()).toBe('changed');
    expect(await replaced.remove()).toBe('removed');
    expect(await replaced.remove()).toBe('absent');
    await expect(kube.get(path)).rejects.toThrow('404');
  });

  test('is called when the scheduler finds no node, and for the events of no other user', async () => {
    const { schedulerUsers: _, ...target } = await putUp();
    await install(target);
    const isOwn = ({ apiVersion }: { readonly apiVersion: string }): boolean => apiVersion === 'v1';
    // Until the server has loaded it.
    do {
      notifications.length = 0;
      await kube.create(CORE, coreEvent('FailedScheduling'));
    } while (notifications.some(isOwn));
    notifications.length = 0;
    const notified = nextNotification();
    await kube.create(`${IN}/pods`, {
      metadata: { name: 'no-node' },
      spec: { containers: [{ name: 'c', image: 'x', resources: { requests: { cpu: '1000' } } }] },
    });
    await notified;
    expect(notifications[0]).toEqual({ path: PATH, reason: 'FailedScheduling', apiVersion: 'events.k8s.io/v1' });
  });
});
