import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../core/model/cluster/pod.ts';
import { sectionOf } from '../../../providers/manifest/fields.ts';
import type { Invalid } from '../../../providers/manifest/invalid.ts';
import { podReader } from '../../../providers/manifest/pod.ts';
import { readPod } from '../../manifest-readers.ts';

const manifest = (spec: object, status?: object, metadata: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web-1', ...metadata },
  spec,
  ...(status !== undefined && { status }),
});

function pod(spec: object, status?: object, metadata?: object): Pod {
  const read = readPod(manifest(spec, status, metadata), '');
  if (!read.ok) {
    throw new Error(JSON.stringify(read.error));
  }
  return read.value;
}

const container = (resources: object): object => ({ containers: [{ name: 'app', resources }] });

describe('requests', () => {
  it.each([
    ['requests', { requests: { cpu: '500m', memory: '1.5Gi' } }, { cpu: 500, memory: 1.5 * 2 ** 30 }],
    ['limits where nothing is requested', { limits: { cpu: '2' } }, { cpu: 2_000 }],
    [
      'limits for what the requests leave out',
      { requests: { cpu: '1' }, limits: { cpu: '2', 'nvidia.com/gpu': '1' } },
      { cpu: 1_000, 'nvidia.com/gpu': 1 },
    ],
    ['bare numbers', { requests: { cpu: 2, memory: 1_024 } }, { cpu: 2_000, memory: 1_024 }],
    ['fractions, which are rounded once per pod and not here', { requests: { memory: '100m' } }, { memory: 0.1 }],
    ['none', {}, {}],
  ])('are %s', (_what, resources, requests) => {
    expect(pod(container(resources)).spec.containers[0]!.requests).toEqual(requests);
  });

  it.each([
    ['requested', { requests: { cpu: '1' } }, {}, { cpu: 1_000 }],
    ['limited and requested nowhere', { limits: { cpu: '1' } }, {}, { cpu: 1_000 }],
    ['limited and requested by a container', { limits: { cpu: '1' } }, { requests: { cpu: '200m' } }, {}],
  ])('of the pod as a whole are those %s', (_what, resources, ofContainer, podRequests) => {
    expect(pod({ ...container(ofContainer), resources }).spec.podRequests).toEqual(podRequests);
  });

  it('of the pod as a whole are absent where the spec has none', () => {
    expect(pod(container({})).spec.podRequests).toBeNull();
  });
});

describe('host ports', () => {
  const ports = [{ containerPort: 80 }, { containerPort: 90, hostPort: 91, protocol: 'UDP', hostIP: '10.0.0.1' }];

  it.each([
    ['are those that ask for one', false, [{ hostIP: '10.0.0.1', hostPort: 91, protocol: 'UDP' }]],
    [
      'are all ports on the network of the host',
      true,
      [
        { hostIP: '', hostPort: 80, protocol: 'TCP' },
        { hostIP: '10.0.0.1', hostPort: 91, protocol: 'UDP' },
      ],
    ],
  ])('%s', (_what, hostNetwork, hostPorts) => {
    expect(pod({ hostNetwork, containers: [{ name: 'app', ports }] }).spec.containers[0]!.hostPorts).toEqual(hostPorts);
  });
});

const repelling = (labelSelector: unknown) => ({
  affinity: {
    podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone', labelSelector }] },
  },
});

describe('what the API server would have filled in', () => {
  it('is filled in', () => {
    const { namespace, phase, spec } = pod({
      topologySpreadConstraints: [{ topologyKey: 'zone' }],
      containers: [],
    });
    expect({ namespace, phase }).toEqual({ namespace: 'default', phase: 'Pending' });
    expect(spec).toMatchObject({
      terminationGracePeriodSeconds: 30,
      schedulerName: 'default-scheduler',
      preemptionPolicy: 'PreemptLowerPriority',
      priority: null,
      nodeAffinity: null,
    });
    expect(spec.topologySpread[0]).toMatchObject({
      maxSkew: 1,
      whenUnsatisfiable: 'DoNotSchedule',
      nodeAffinityPolicy: 'Honor',
      nodeTaintsPolicy: 'Ignore',
      labelSelector: null,
      minDomains: null,
    });
  });

  it('takes null for absent, as kubectl prints it', () => {
    const read = pod(
      { containers: [], nodeName: null, affinity: null, tolerations: null },
      {},
      { creationTimestamp: null },
    );
    expect(read).toEqual(pod({ containers: [] }, {}));
  });

  it('distinguishes an empty selector from none', () => {
    expect(pod(repelling({})).spec.podAntiAffinity[0]!.labelSelector).toEqual({
      matchLabels: {},
      matchExpressions: [],
    });
    expect(pod(repelling(undefined)).spec.podAntiAffinity[0]!.labelSelector).toBeNull();
  });
});

const unscheduled = (reason: string) => ({
  conditions: [
    {
      type: 'PodScheduled',
      status: 'False',
      reason,
      lastTransitionTime: '2026-01-01T12:00:00Z',
      message: '0/3 nodes',
    },
  ],
});
const since = Date.parse('2026-01-01T12:00:00Z');

describe('status', () => {
  it.each([
    ['a pod that no node fits', {}, unscheduled('Unschedulable'), { reason: 'Unschedulable', since }],
    ['a gated pod', {}, unscheduled('SchedulingGated'), { reason: 'SchedulingGated', since }],
    ['a pod that no scheduler has seen', {}, { phase: 'Pending' }, null],
    ['a pod that was bound since', { nodeName: 'n1' }, unscheduled('Unschedulable'), null],
    ['a scheduled pod', {}, { conditions: [{ type: 'PodScheduled', status: 'True' }] }, null],
  ])('of %s', (_what, spec, status, expected) => {
    expect(pod(spec, status).unscheduled).toEqual(expected);
  });

  it('names the owner that is the controller', () => {
    const ownerReferences = [
      { kind: 'Team', name: 'a', uid: '1' },
      { kind: 'ReplicaSet', name: 'web', uid: '2', controller: true },
    ];
    expect(pod({}, {}, { ownerReferences }).controller).toEqual({
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      name: 'web',
      uid: '2',
    });
  });
});

const status = (requests: object | undefined, allocated: object = { cpu: '1' }) => ({
  containerStatuses: [{ name: 'app', allocatedResources: allocated, ...(requests && { resources: { requests } }) }],
});
const spec = container({ requests: { cpu: '1' } });

describe('a resize in place', () => {
  it.each([
    ['repeats the spec', status({ cpu: '1' })],
    ['has not grown to the spec yet', status({ cpu: '500m' }, { cpu: '500m' })],
    ['has no resources in its status', status(undefined, { cpu: '2' })],
  ])('makes no difference to a container that %s', (_what, given) => {
    expect(pod(spec, given).resize).toBeNull();
  });

  it('is kept where the container still has more than the spec asks for', () => {
    expect(pod(spec, status({ cpu: '2' })).resize).toEqual({
      containers: [{ name: 'app', allocated: { cpu: 1_000 }, actual: { cpu: 2_000 } }],
      allocated: null,
      actual: null,
      infeasible: false,
    });
  });

  it('is kept where the kubelet has refused it, for then the spec does not count', () => {
    const refused = { conditions: [{ type: 'PodResizePending', status: 'True', reason: 'Infeasible' }] };
    expect(pod(spec, { ...status({ cpu: '500m' }, { cpu: '500m' }), ...refused }).resize).toEqual({
      containers: [{ name: 'app', allocated: { cpu: 500 }, actual: { cpu: 500 } }],
      allocated: null,
      actual: null,
      infeasible: true,
    });
  });
});

describe('volumes', () => {
  it.each([
    [{ persistentVolumeClaim: { claimName: 'c' } }, { kind: 'claim', claimName: 'c', readOnly: false }],
    [{ ephemeral: { volumeClaimTemplate: {} } }, { kind: 'ephemeralClaim' }],
    [{ csi: { driver: 'd' } }, { kind: 'csi', driver: 'd' }],
    [{ emptyDir: {} }, { kind: 'emptyDir', medium: '' }],
    [{ emptyDir: { medium: 'Memory' } }, { kind: 'emptyDir', medium: 'Memory' }],
    [{ hostPath: { path: '/' } }, { kind: 'hostPath' }],
    [
      { rbd: { monitors: ['m'], image: 'i' } },
      { kind: 'disk', type: 'rbd', id: 'rbd/i', monitors: ['m'], readOnly: false },
    ],
    [
      { iscsi: { iqn: 'q', lun: 0, readOnly: true } },
      { kind: 'disk', type: 'iscsi', id: 'q', monitors: [], readOnly: true },
    ],
  ])('%j is kept', (source, expected) => {
    expect(pod({ volumes: [{ name: 'v', ...source }] }).spec.volumes).toEqual([{ name: 'v', ...expected }]);
  });

  it.each([{ projected: {} }, { configMap: { name: 'c' } }, { secret: { secretName: 's' } }, { nfs: {} }])(
    '%j is not',
    (source) => {
      expect(pod({ volumes: [{ name: 'v', ...source }] }).spec.volumes).toEqual([]);
    },
  );
});

describe('refusals', () => {
  it.each<[string, object, Invalid]>([
    [
      'a quantity',
      { spec: container({ requests: { cpu: 'abc' } }) },
      {
        place: 'spec.containers[0].resources.requests.cpu',
        expected: 'a quantity such as 500m, 2 or 1.5Gi',
        found: '"abc"',
      },
    ],
    [
      'a negative quantity',
      { spec: container({ limits: { memory: '-1Gi' } }) },
      {
        place: 'spec.containers[0].resources.limits.memory',
        expected: 'a quantity such as 500m, 2 or 1.5Gi that is not negative',
        found: '"-1Gi"',
      },
    ],
    [
      'a size in the units of disks',
      { spec: container({ limits: { memory: '4GB' } }) },
      {
        place: 'spec.containers[0].resources.limits.memory',
        expected: 'a quantity such as 500m, 2 or 1.5Gi (did you mean 4G or 4Gi?)',
        found: '"4GB"',
      },
    ],
    [
      'a size with bytes after a binary prefix',
      { spec: container({ limits: { memory: '4 GiB' } }) },
      {
        place: 'spec.containers[0].resources.limits.memory',
        expected: 'a quantity such as 500m, 2 or 1.5Gi (did you mean 4Gi?)',
        found: '"4 GiB"',
      },
    ],
    [
      'a label that YAML took for a number',
      { metadata: { name: 'p', labels: { 'app.kubernetes.io/version': 1.5 } } },
      {
        place: 'metadata.labels["app.kubernetes.io/version"]',
        expected: 'a string (numbers and true or false in quotes)',
        found: '1.5',
      },
    ],
    ['a missing name', { metadata: {} }, { place: 'metadata.name', expected: 'a name', found: 'nothing' }],
    [
      'a time',
      { metadata: { name: 'p', creationTimestamp: 'yesterday' } },
      {
        place: 'metadata.creationTimestamp',
        expected: 'a time such as 2026-01-01T12:00:00Z',
        found: '"yesterday"',
      },
    ],
    ['a list', { spec: { tolerations: {} } }, { place: 'spec.tolerations', expected: 'a list', found: 'an object' }],
    ['an object', { spec: [] }, { place: 'spec', expected: 'an object', found: 'a list' }],
    ['an integer', { spec: { priority: '10' } }, { place: 'spec.priority', expected: 'an integer', found: '"10"' }],
    [
      'a phase',
      { status: { phase: 'Runing' } },
      { place: 'status.phase', expected: 'one of Pending, Running, Succeeded, Failed, Unknown', found: '"Runing"' },
    ],
  ])('name the place of %s, what was expected, and what was found', (_what, part, expected) => {
    expect(readPod({ ...manifest({}), ...part }, '')).toEqual({ ok: false, error: expected });
  });

  it('set the place of the object before the place in it', () => {
    const raw = manifest({ priority: 'high' });
    expect(readPod(raw, 'objects[3]')).toMatchObject({ error: { place: 'objects[3].spec.priority' } });
    expect(readPod(raw, 'Pod default/web-1: ')).toMatchObject({ error: { place: 'Pod default/web-1: spec.priority' } });
  });

  it('find everything that is wrong in one pass', () => {
    const problems: Invalid[] = [];
    podReader()(sectionOf(manifest({ priority: 'high', volumes: 7 }, { startTime: 1 }), '', problems));
    expect(problems.map(({ place }) => place)).toEqual(['spec.volumes', 'spec.priority', 'status.startTime']);
  });
});

/** Two pods as one ReplicaSet makes them: they differ in their names, nodes and tokens. */
const replica = (index: number, spec: object = {}, uid = 'rs-1'): object =>
  manifest(
    {
      nodeName: `node-${index}`,
      containers: [
        { name: 'app', resources: { requests: { cpu: '1' } }, volumeMounts: [{ name: `kube-api-access-${index}` }] },
      ],
      volumes: [{ name: `kube-api-access-${index}`, projected: { sources: [] } }],
      ...spec,
    },
    {},
    { name: `web-${index}`, ownerReferences: [{ kind: 'ReplicaSet', name: uid, uid, controller: true }] },
  );

const specs = (manifests: readonly object[]) => {
  const read = podReader();
  const problems: Invalid[] = [];
  const pods = manifests.map((raw) => read(sectionOf(JSON.parse(JSON.stringify(raw)), '', problems)));
  expect(problems).toEqual([]);
  return pods.map(({ spec }) => spec);
};

describe('equal specs', () => {
  it('of one controller are one object', () => {
    const [first, second, third] = specs([replica(1), replica(2), replica(3)]);
    expect(second).toBe(first);
    expect(third).toBe(first);
  });

  it('of several controllers are one object too', () => {
    const [first, second] = specs([replica(1), replica(2, {}, 'rs-2')]);
    expect(second).toBe(first);
  });

  it.each([
    ['requests', { containers: [{ name: 'app', resources: { requests: { cpu: '2' } } }] }],
    ['one container more', { containers: [{ name: 'app', resources: { requests: { cpu: '1' } } }, { name: 'side' }] }],
    ['a node selector', { nodeSelector: { disk: 'ssd' } }],
    ['priority', { priority: 1 }],
    ['a volume', { volumes: [{ name: 'data', emptyDir: {} }] }],
    [
      'a volume beside the token',
      {
        volumes: [
          { name: 't', projected: {} },
          { name: 'data', hostPath: {} },
        ],
      },
    ],
    ['hostNetwork, which makes host ports', { hostNetwork: true, containers: [{ ports: [{ containerPort: 1 }] }] }],
    ['an init container', { initContainers: [{ name: 'init' }] }],
    ['a toleration', { tolerations: [{ operator: 'Exists' }] }],
    ['grace', { terminationGracePeriodSeconds: 5 }],
    ['scheduler', { schedulerName: 'other' }],
    ['overhead', { overhead: { cpu: '1' } }],
    ['pod-level resources', { resources: { requests: { cpu: '4' } } }],
    ['a gate', { schedulingGates: [{ name: 'g' }] }],
    ['a resource claim', { resourceClaims: [{ name: 'gpu' }] }],
    ['a PodGroup', { schedulingGroup: { podGroupName: 'train' } }],
    ['a field of a newer Kubernetes', { placement: { zone: 'a' } }],
    [
      'affinity',
      {
        affinity: {
          nodeAffinity: {},
          podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'k' }] },
        },
      },
    ],
    ['topology spread', { topologySpreadConstraints: [{ topologyKey: 'k' }] }],
    ['preemption', { preemptionPolicy: 'Never' }],
  ])('that differ in %s are not', (_what, spec) => {
    const [first, second, third] = specs([replica(1), replica(2, spec), replica(3, spec)]);
    expect(second).not.toEqual(first);
    expect(third).toBe(second);
  });

  it('are read the same whether or not an equal one was seen before', () => {
    const alone = specs([replica(2, { nodeName: null })]);
    const after = specs([replica(1), replica(2, { nodeName: null })]);
    expect(after[1]).toEqual(alone[0]);
  });
});
