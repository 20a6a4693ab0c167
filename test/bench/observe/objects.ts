/** Nodes and pods of a large cluster, as large as they are in real ones: pods have about 2.5 KB, and nodes 5 KB. */

const PODS_OF_A_DEPLOYMENT = 30;

export const nodeManifest = (index: number): object => ({
  metadata: {
    name: nodeNameOf(index),
    labels: {
      'kubernetes.io/hostname': nodeNameOf(index),
      'kubernetes.io/arch': 'amd64',
      'topology.kubernetes.io/zone': `eu-central-1${'abc'[index % 3]}`,
      'node.kubernetes.io/instance-type': 'm5.4xlarge',
    },
  },
  spec: { providerID: `aws:///eu-central-1a/i-${String(index).padStart(17, '0')}` },
  status: {
    capacity: { cpu: '16', memory: '64Gi', pods: '234' },
    allocatable: { cpu: '15890m', memory: '60Gi', pods: '234' },
    conditions: ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready'].map((type) => ({
      type,
      status: type === 'Ready' ? 'True' : 'False',
      reason: `Kubelet${type}`,
      message: 'as the kubelet says in a sentence of some length',
      lastHeartbeatTime: '2026-01-01T00:00:00Z',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    })),
    images: Array.from({ length: 30 }, (_, image) => ({
      names: [`registry.example/team-${image}/service-${image}@sha256:${'0123456789abcdef'.repeat(4)}`],
      sizeBytes: 100_000_000 + image,
    })),
  },
});

export const nodeNameOf = (index: number): string => `ip-10-0-${Math.floor(index / 256)}-${index % 256}.internal`;

export const NAMESPACE = 'load';

export const podNameOf = (index: number): string => {
  const deployment = Math.floor(index / PODS_OF_A_DEPLOYMENT);
  return `app-${deployment}-5d4f8c7b9-${String(index % PODS_OF_A_DEPLOYMENT).padStart(5, 'x')}`;
};

/** @param nodes among which the pods are spread */
export function podManifest(index: number, nodes: number): object {
  const deployment = Math.floor(index / PODS_OF_A_DEPLOYMENT);
  return {
    metadata: {
      name: podNameOf(index),
      labels: { app: `app-${deployment}`, 'pod-template-hash': '5d4f8c7b9' },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: `app-${deployment}-5d4f8c7b9`,
          uid: `uid-${deployment}`,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: {
      nodeName: nodeNameOf(index % nodes),
      containers: [
        {
          name: 'main',
          image: `registry.example/team/app-${deployment}:1.2.3`,
          env: Array.from({ length: 12 }, (_, at) => ({
            name: `SETTING_NUMBER_${at}`,
            value: `value-${deployment}-${'x'.repeat(40)}`,
          })),
          resources: { requests: { cpu: '250m', memory: '512Mi' }, limits: { memory: '1Gi' } },
        },
      ],
    },
  };
}
