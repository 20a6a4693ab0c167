/** Pods that run on batch nodes only. */
const ON_BATCH = { nodeSelector: { pool: 'batch' }, tolerations: [{ key: 'pool', value: 'batch' }] };

/**
 * The built-in load of `outrigger demo`, in the format of docs/workload.md: a shop on three one-zone node groups, and a
 * batch node group that starts at zero; load rises, a job runs, load falls. The ledger must not be evicted, so its node
 * stays.
 */
export const DEFAULT_LOAD: unknown = {
  apiVersion: 'outrigger.dev/v1alpha1',
  kind: 'Workload',
  metadata: { name: 'web-shop' },
  nodeGroups: [
    ...['a', 'b', 'c'].map((letter) => ({
      name: `web-${letter}`,
      zone: `us-east-1${letter}`,
      instanceType: 'm5.xlarge',
      minSize: 1,
      maxSize: 8,
    })),
    {
      name: 'batch',
      zones: ['us-east-1a', 'us-east-1b'],
      instanceType: 'm5.2xlarge',
      maxSize: 4,
      labels: { pool: 'batch' },
      taints: [{ key: 'pool', value: 'batch', effect: 'NoSchedule' }],
    },
  ],
  load: [
    { at: '5s', deploy: { name: 'shop', replicas: 12, requests: { cpu: '500m', memory: '1Gi' } } },
    {
      at: '25s',
      deploy: { name: 'checkout', replicas: 12, requests: { cpu: '500m', memory: '1Gi' }, minAvailable: 11 },
    },
    {
      at: '1m40s',
      job: { name: 'report', pods: 20, runsFor: '90s', requests: { cpu: '900m', memory: '1536Mi' }, spec: ON_BATCH },
    },
    {
      at: '1m40s',
      deploy: {
        name: 'ledger',
        replicas: 1,
        requests: { cpu: '500m', memory: '2Gi' },
        annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false' },
        spec: ON_BATCH,
      },
    },
    { at: '3m10s', scale: { name: 'shop', replicas: 48 } },
    { at: '4m15s', deploy: { name: 'search', replicas: 2, requests: { cpu: '400m', memory: '1Gi' } } },
    { at: '7m10s', scale: { name: 'shop', replicas: 6 } },
  ],
};
