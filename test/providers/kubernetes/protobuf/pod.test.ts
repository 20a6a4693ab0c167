import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../core/model/cluster/pod.ts';
import { POD_LISTS } from '../../../../providers/kubernetes/read/kinds.ts';
import { pageReader } from '../../../../providers/kubernetes/read/page.ts';
import { PROTOBUF } from '../../../../providers/kubernetes/protobuf/envelope.ts';
import { cases } from '../../../cases.ts';
import { listOf } from '../wire-encoder.ts';
import { type Json, encodePod } from './pod-encoder.ts';

const answer = (contentType: string, body: Buffer) => ({ status: 200, headers: {}, contentType, body });

const readJson = (pods: readonly Json[]) =>
  pageReader(POD_LISTS).page(
    answer(
      'application/json',
      Buffer.from(JSON.stringify({ kind: 'PodList', metadata: { resourceVersion: '12345' }, items: pods })),
    ),
  );

const readProtobuf = (pods: readonly Json[]) =>
  pageReader(POD_LISTS).page(answer(PROTOBUF, listOf('v1', 'Pod', pods.map(encodePod))));

const podsOf = (pods: readonly Json[]): readonly Pod[] => readProtobuf(pods).items as readonly Pod[];

// Few words, so that equal and nearly equal parts are common: that is where sharing could go wrong.
const word = fc.constantFrom('a', 'b', 'web', 'kube-api-access-x7k2p', 'größe-日本', 'x'.repeat(40));
const labels = fc.dictionary(word, fc.constantFrom('', 'a', 'b', 'true'), { minKeys: 1, maxKeys: 3 });
const amount = fc.constantFrom('100m', '1', '1500m', '64Mi', '1Gi', '1e3', '0');
const amounts = fc.dictionary(fc.constantFrom('cpu', 'memory', 'nvidia.com/gpu'), amount, { minKeys: 1, maxKeys: 3 });
const instant = fc.constantFrom('2026-01-01T00:00:00Z', '2026-06-30T23:59:59Z', '1969-12-31T23:59:00Z');
const some = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(arbitrary, { maxLength: 3 });
/** Every field may be missing: Go leaves out what is empty, so maps that are there have entries. */
const fields = (model: Record<string, fc.Arbitrary<unknown>>, requiredKeys: string[] = []): fc.Arbitrary<Json> =>
  fc.record(model, { requiredKeys });

const resources = fields({ limits: amounts, requests: amounts });
const requirement = fc.record({
  key: word,
  operator: fc.constantFrom('In', 'NotIn', 'Exists'),
  values: fc.array(word, { minLength: 1, maxLength: 2 }),
});
const selector = fields({ matchLabels: labels, matchExpressions: some(requirement) });

const container = fields(
  {
    name: word,
    image: word,
    args: some(word),
    env: some(fc.record({ name: word, value: word })),
    volumeMounts: some(fc.record({ name: word, readOnly: fc.boolean(), mountPath: word })),
    ports: some(
      fields({
        name: word,
        hostPort: fc.constantFrom(0, 80, 65535),
        containerPort: fc.constantFrom(80, 8080),
        protocol: fc.constantFrom('TCP', 'UDP'),
        hostIP: fc.constantFrom('', '10.0.0.1'),
      }),
    ),
    resources,
    restartPolicy: fc.constant('Always'),
  },
  ['name'],
);

const volume = fc.oneof(
  fc.record({ name: word, hostPath: fc.record({ path: word }) }),
  fc.record({ name: word, emptyDir: fc.record({ medium: fc.constantFrom('', 'Memory') }) }),
  fc.record({ name: word, persistentVolumeClaim: fc.record({ claimName: word, readOnly: fc.boolean() }) }),
  fc.record({ name: word, configMap: fc.constant({}) }),
  fc.record({ name: word, projected: fc.record({ defaultMode: fc.constant(420) }) }),
  fc.record({ name: word, csi: fc.record({ driver: word }) }),
);

const spec = fields(
  {
    volumes: some(volume),
    containers: some(container),
    initContainers: some(container),
    restartPolicy: fc.constant('Always'),
    terminationGracePeriodSeconds: fc.constantFrom(0, 30, 600),
    nodeSelector: labels,
    serviceAccountName: word,
    nodeName: fc.constantFrom('', 'n1', 'ip-10-0-0-1.ec2.internal'),
    hostNetwork: fc.boolean(),
    hostname: word,
    affinity: fields({
      nodeAffinity: fc.record({
        requiredDuringSchedulingIgnoredDuringExecution: fc.record({
          nodeSelectorTerms: fc.array(fields({ matchExpressions: some(requirement) }), { minLength: 1, maxLength: 2 }),
        }),
      }),
      podAntiAffinity: fields({
        requiredDuringSchedulingIgnoredDuringExecution: some(
          fields({ labelSelector: selector, namespaces: some(word), topologyKey: word }, ['topologyKey']),
        ),
      }),
    }),
    schedulerName: fc.constantFrom('default-scheduler', 'other'),
    tolerations: some(
      fields({
        key: word,
        operator: fc.constantFrom('Exists', 'Equal'),
        value: word,
        effect: fc.constantFrom('', 'NoSchedule', 'NoExecute'),
        tolerationSeconds: fc.constantFrom(0, 300, -1),
      }),
    ),
    priority: fc.constantFrom(0, -10, 2_000_001_000),
    overhead: amounts,
    topologySpreadConstraints: some(
      fields({
        maxSkew: fc.constant(1),
        topologyKey: word,
        whenUnsatisfiable: fc.constantFrom('DoNotSchedule', 'ScheduleAnyway'),
        labelSelector: selector,
        minDomains: fc.constant(2),
      }),
    ),
    schedulingGates: some(fc.record({ name: word })),
    resources,
  },
  ['containers'],
);

const containerStatus = fields(
  {
    name: word,
    ready: fc.boolean(),
    restartCount: fc.nat({ max: 9 }),
    containerID: word,
    allocatedResources: amounts,
    resources,
  },
  ['name'],
);

const status = fields({
  phase: fc.constantFrom('Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'),
  conditions: some(
    fields(
      {
        type: fc.constantFrom('PodScheduled', 'Ready', 'PodResizePending', 'Initialized'),
        status: fc.constantFrom('True', 'False', 'Unknown'),
        lastTransitionTime: instant,
        reason: fc.constantFrom('', 'Unschedulable', 'SchedulingGated', 'Infeasible'),
      },
      ['type', 'status'],
    ),
  ),
  message: word,
  startTime: instant,
  containerStatuses: some(containerStatus),
  initContainerStatuses: some(containerStatus),
  nominatedNodeName: fc.constantFrom('', 'n2'),
});

const metadata = fields(
  {
    name: word,
    generateName: word,
    namespace: word,
    uid: word,
    resourceVersion: word,
    creationTimestamp: instant,
    deletionTimestamp: instant,
    labels,
    annotations: labels,
    ownerReferences: some(
      fields(
        {
          apiVersion: word,
          kind: fc.constantFrom('ReplicaSet', 'DaemonSet'),
          name: word,
          uid: word,
          controller: fc.boolean(),
        },
        ['kind', 'name'],
      ),
    ),
  },
  ['name'],
);

const pods = fc.array(fields({ metadata, spec, status }, ['metadata', 'spec']), { minLength: 1, maxLength: 6 });

describe('pods', () => {
  it('mean the same in protobuf as in JSON', () => {
    fc.assert(
      fc.property(pods, (some) => {
        expect(readProtobuf(some)).toEqual(readJson(some));
      }),
      { numRuns: cases(200) },
    );
  });

  it('share a spec object exactly when their specs are equal', () => {
    fc.assert(
      fc.property(pods, (some) => {
        const read = podsOf(some);
        for (const a of read) {
          for (const b of read) {
            expect(a.spec === b.spec).toBe(JSON.stringify(a.spec) === JSON.stringify(b.spec));
          }
        }
      }),
      { numRuns: cases(60) },
    );
  });

  const base: Json = {
    metadata: { name: 'web-1', namespace: 'default', uid: 'u1', labels: { app: 'web' }, annotations: { note: 'x' } },
    spec: {
      nodeName: 'n1',
      containers: [{ name: 'web', image: 'nginx:1', resources: { requests: { cpu: '1' } }, volumeMounts: [] }],
      volumes: [{ name: 'kube-api-access-aaaaa', projected: { defaultMode: 420 } }],
    },
  };
  const with_ = (metadata: Json, spec: Json): Json => ({
    metadata: { ...(base['metadata'] as Json), ...metadata },
    spec: { ...(base['spec'] as Json), ...spec },
  });

  it.each([
    ['the node', { nodeName: 'n2' }],
    ['the name of the token volume', { volumes: [{ name: 'kube-api-access-bbbbb', projected: { defaultMode: 420 } }] }],
    ['the hostname', { hostname: 'web-2' }],
    ['a container’s image', { containers: [{ name: 'web', image: 'nginx:2', resources: { requests: { cpu: '1' } } }] }],
    ['how a quantity is written', { containers: [{ name: 'web', resources: { requests: { cpu: '1000m' } } }] }],
  ])('share their spec when only %s differs', (_, spec) => {
    const [a, b] = podsOf([base, with_({ name: 'web-2' }, spec)]);
    expect(a!.spec).toBe(b!.spec);
    expect(a!.labels).toBe(b!.labels);
    expect(a!.annotations).toBe(b!.annotations);
  });

  it.each([
    ['requests', { containers: [{ name: 'web', resources: { requests: { cpu: '2' } } }] }],
    [
      'a host port',
      { containers: [{ name: 'web', resources: { requests: { cpu: '1' } }, ports: [{ hostPort: 80 }] }] },
    ],
    ['a volume that decides', { volumes: [{ name: 'data', emptyDir: {} }] }],
    ['an empty second container', { containers: [...((base['spec'] as Json)['containers'] as Json[]), {}] }],
  ])('do not share their spec when %s differs', (_, spec) => {
    const [a, b] = podsOf([base, with_({ name: 'web-2' }, spec)]);
    expect(a!.spec).not.toEqual(b!.spec);
  });

  it('keep a label called __proto__', () => {
    const [read] = podsOf([with_({ labels: JSON.parse('{"__proto__": "x"}') as Json }, {})]);
    expect(Object.entries(read!.labels)).toEqual([['__proto__', 'x']]);
  });

  it('that cannot be read are reported with their place, and the others are read', () => {
    const broken = with_({ name: 'broken' }, { containers: [{ name: 'c', resources: { requests: { cpu: 'lots' } } }] });
    const { items, rejected } = readProtobuf([base, broken, with_({ name: 'web-3' }, {})]);
    expect(items).toMatchObject([{ name: 'web-1' }, { name: 'web-3' }]);
    expect(rejected).toEqual([
      {
        place: 'Pod default/broken: spec.containers[0].resources.requests.cpu',
        expected: expect.stringContaining('quantity') as string,
        found: '"lots"',
        excludes: { node: 'n1', reason: 'UnreadablePod' },
      },
    ]);
  });

  it('whose bytes are damaged are reported by their number, and the others are read', () => {
    const cut = encodePod(base).subarray(0, -3);
    const body = listOf('v1', 'Pod', [encodePod(base), cut]);
    const { items, rejected } = pageReader(POD_LISTS).page(answer(PROTOBUF, body));
    expect(items).toHaveLength(1);
    expect(rejected).toEqual([
      {
        place: 'Pod number 2 of its page',
        expected: 'a Pod in protobuf',
        found: expect.stringContaining('cut short') as string,
      },
    ]);
  });
});
