import { describe, expect, it } from 'vitest';
import { readController } from '../../../providers/manifest/controller.ts';
import { readCsiNode } from '../../../providers/manifest/csi-node.ts';
import { readNamespace } from '../../../providers/manifest/namespace.ts';
import { readNode } from '../../../providers/manifest/node.ts';
import { readPersistentVolumeClaim } from '../../../providers/manifest/persistent-volume-claim.ts';
import { readPersistentVolume } from '../../../providers/manifest/persistent-volume.ts';
import { readPodDisruptionBudget } from '../../../providers/manifest/pod-disruption-budget.ts';
import { readStorageClass } from '../../../providers/manifest/storage-class.ts';

const metadata = { name: 'x' };

describe('Node', () => {
  it('takes its capacity for allocatable where it does not say', () => {
    expect(readNode({ metadata, status: { capacity: { cpu: '2' } } }, '')).toMatchObject({
      value: { capacity: { cpu: 2_000 }, allocatable: { cpu: 2_000 } },
    });
  });

  it('rounds its amounts up to whole units', () => {
    const status = { allocatable: { memory: '1500m', cpu: '1500u' } };
    expect(readNode({ metadata, status }, '')).toMatchObject({ value: { allocatable: { memory: 2, cpu: 2 } } });
  });

  it('keeps taints, cordon, provider ID and conditions', () => {
    const spec = {
      providerID: 'aws:///us-east-1a/i-1',
      unschedulable: true,
      taints: [
        { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' },
        { key: 'cordon', effect: 'NoExecute' },
      ],
    };
    const conditions = [{ type: 'Ready', status: 'True', reason: 'KubeletReady', lastTransitionTime: null }];
    expect(readNode({ metadata, spec, status: { conditions } }, '')).toMatchObject({
      value: {
        providerId: 'aws:///us-east-1a/i-1',
        unschedulable: true,
        taints: [
          { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' },
          { key: 'cordon', value: '', effect: 'NoExecute' },
        ],
        conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', since: null }],
      },
    });
  });
});

describe('controllers', () => {
  it.each([
    ['ReplicaSet', { replicas: 3 }, 3],
    ['ReplicaSet', { replicas: 0 }, 0],
    ['Deployment', {}, 1],
    ['Job', { parallelism: 4, replicas: 9 }, 4],
  ] as const)('%s %j requests that many pods', (kind, spec, replicas) => {
    expect(readController(kind)({ metadata, spec }, '')).toMatchObject({ value: { kind, replicas, template: null } });
  });

  it.each([
    { what: 'has all to do', spec: { parallelism: 2, completions: 6 }, status: {}, replicas: 2 },
    { what: 'is nearly done', spec: { parallelism: 4, completions: 6 }, status: { succeeded: 5 }, replicas: 1 },
    { what: 'is done', spec: { parallelism: 2, completions: 2 }, status: { succeeded: 2 }, replicas: 0 },
    { what: 'has done more than was asked', spec: { completions: 1 }, status: { succeeded: 2 }, replicas: 0 },
    { what: 'works on a queue', spec: { parallelism: 3 }, status: {}, replicas: 3 },
    { what: 'has found its queue empty', spec: { parallelism: 3 }, status: { succeeded: 1 }, replicas: 0 },
    { what: 'is suspended', spec: { parallelism: 3, completions: 3, suspend: true }, status: {}, replicas: 0 },
  ])('a Job that $what requests $replicas pods', ({ spec, status, replicas }) => {
    expect(readController('Job')({ metadata, spec, status }, '')).toMatchObject({ value: { replicas } });
  });

  it('a DaemonSet gives the pod that it would make', () => {
    const raw = {
      metadata: { name: 'agent', namespace: 'kube-system', uid: 'u' },
      spec: {
        template: {
          metadata: { labels: { app: 'agent' } },
          spec: {
            tolerations: [
              { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
            ],
            containers: [{ name: 'agent', resources: { limits: { cpu: '100m' } } }],
          },
        },
      },
    };
    const read = readController('DaemonSet')(raw, '');
    expect(read).toMatchObject({
      value: {
        replicas: null,
        template: {
          namespace: 'kube-system',
          labels: { app: 'agent' },
          controller: { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid: 'u' },
          nodeName: null,
          spec: { containers: [{ requests: { cpu: 100 } }] },
        },
      },
    });
    const tolerations = read.ok ? read.value.template!.spec.tolerations : [];
    expect(tolerations.map(({ key, effect, tolerationSeconds }) => [key, effect, tolerationSeconds])).toEqual([
      // Forever: a daemon pod is not to leave a node because the node is not ready.
      ['node.kubernetes.io/not-ready', 'NoExecute', null],
      ['node.kubernetes.io/unreachable', 'NoExecute', null],
      ['node.kubernetes.io/disk-pressure', 'NoSchedule', null],
      ['node.kubernetes.io/memory-pressure', 'NoSchedule', null],
      ['node.kubernetes.io/pid-pressure', 'NoSchedule', null],
      ['node.kubernetes.io/unschedulable', 'NoSchedule', null],
    ]);
  });

  it('a DaemonSet on the network of the host runs before the network does', () => {
    const read = readController('DaemonSet')({ metadata, spec: { template: { spec: { hostNetwork: true } } } }, '');
    expect(read.ok && read.value.template!.spec.tolerations.map(({ key }) => key)).toContain(
      'node.kubernetes.io/network-unavailable',
    );
  });

  it('a DaemonSet names the place of a mistake in its template', () => {
    const raw = { metadata, spec: { template: { spec: { containers: [{ resources: { requests: { cpu: {} } } }] } } } };
    expect(readController('DaemonSet')(raw, '')).toMatchObject({
      error: { place: 'spec.template.spec.containers[0].resources.requests.cpu' },
    });
  });
});

describe('storage', () => {
  it.each([
    [{ csi: { driver: 'ebs.csi.aws.com', volumeHandle: 'vol-1' } }, { driver: 'ebs.csi.aws.com', handle: 'vol-1' }],
    [{ awsElasticBlockStore: { volumeID: 'vol-1' } }, { driver: 'ebs.csi.aws.com', handle: 'vol-1' }],
    [{ awsElasticBlockStore: { volumeID: 'aws://us-east-1a/vol-1' } }, { driver: 'ebs.csi.aws.com', handle: 'vol-1' }],
    [{ hostPath: { path: '/data' } }, null],
  ])('PersistentVolume %j is attached by the driver that serves it', (source, csi) => {
    expect(readPersistentVolume({ metadata, spec: source }, '')).toMatchObject({ value: { csi } });
  });

  it.each([
    ['absent: the default class', {}, {}, null],
    ['empty: none', {}, { storageClassName: '' }, ''],
    ['named', {}, { storageClassName: 'gp3' }, 'gp3'],
    ['annotated', { 'volume.beta.kubernetes.io/storage-class': 'old' }, { storageClassName: 'gp3' }, 'old'],
  ])('the class of a claim is %s', (_what, annotations, spec, storageClass) => {
    const raw = { metadata: { ...metadata, annotations }, spec };
    expect(readPersistentVolumeClaim(raw, '')).toMatchObject({ value: { storageClass } });
  });

  it.each([
    ['Pod', true, 'pod-uid'],
    ['Pod', false, null],
    ['StatefulSet', true, null],
  ])('a claim whose owner is a %s (controller: %s) belongs to the pod %s', (kind, controller, ownerPodUid) => {
    const ownerReferences = [{ kind, name: 'p', uid: 'pod-uid', controller }];
    expect(readPersistentVolumeClaim({ metadata: { ...metadata, ownerReferences } }, '')).toMatchObject({
      value: { ownerPodUid },
    });
  });

  it('a StorageClass keeps where its volumes may be', () => {
    const raw = {
      metadata: { name: 'gp3', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
      provisioner: 'ebs.csi.aws.com',
      allowedTopologies: [{ matchLabelExpressions: [{ key: 'zone', values: ['a', 'b'] }] }],
    };
    expect(readStorageClass(raw, '')).toMatchObject({
      value: {
        bindingMode: 'Immediate',
        isDefault: true,
        allowedTopologies: [[{ key: 'zone', operator: 'In', values: ['a', 'b'] }]],
      },
    });
  });

  it('a CSINode without a count attaches any number of volumes', () => {
    const drivers = [
      { name: 'a', nodeID: 'i-1', allocatable: { count: 25 } },
      { name: 'b', nodeID: 'i-1' },
    ];
    expect(readCsiNode({ metadata, spec: { drivers } }, '')).toMatchObject({
      value: { drivers: [{ count: 25 }, { count: null }] },
    });
  });
});

it('a Namespace bears its name as a label', () => {
  expect(readNamespace({ metadata: { name: 'team-a', labels: { tier: 'gold' } } }, '')).toMatchObject({
    value: { labels: { tier: 'gold', 'kubernetes.io/metadata.name': 'team-a' } },
  });
});

it('a PodDisruptionBudget without a status allows nothing yet', () => {
  expect(readPodDisruptionBudget({ metadata, spec: { selector: {}, minAvailable: 1 } }, '')).toMatchObject({
    value: {
      selector: { matchLabels: {}, matchExpressions: [] },
      disruptionsAllowed: 0,
      unhealthyPodEvictionPolicy: 'IfHealthyBudget',
      disruptedPods: {},
      generation: 0,
      observedGeneration: 0,
    },
  });
});

it('a PodDisruptionBudget says of which generation its numbers are, and which pods they leave out', () => {
  const status = { observedGeneration: 2, disruptedPods: { 'web-1': '2026-01-01T12:00:00Z', 'web-2': null } };
  expect(readPodDisruptionBudget({ metadata: { ...metadata, generation: 3 }, status }, '')).toMatchObject({
    value: {
      disruptedPods: { 'web-1': Date.parse('2026-01-01T12:00:00Z'), 'web-2': null },
      generation: 3,
      observedGeneration: 2,
    },
  });
});

it('a wrong time in a PodDisruptionBudget is reported with its place', () => {
  expect(readPodDisruptionBudget({ metadata, status: { disruptedPods: { 'web-1': 5 } } }, '')).toMatchObject({
    ok: false,
    error: { place: expect.stringContaining('status.disruptedPods.web-1') as string },
  });
});
