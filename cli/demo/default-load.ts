/**
 * What `outrigger demo` shows when it is given nothing else, in the format of docs/workload.md: a shop on three one-zone
 * groups, its morning, and a job that runs once.
 */
export const DEFAULT_LOAD: unknown = {
  apiVersion: 'outrigger.dev/v1alpha1',
  kind: 'Workload',
  metadata: { name: 'demo' },
  nodeGroups: ['a', 'b', 'c'].map((letter) => ({
    name: `web-${letter}`,
    zone: `us-east-1${letter}`,
    instanceType: 'm5.xlarge',
    minSize: 1,
    maxSize: 10,
  })),
  load: [
    { at: '5s', deploy: { name: 'shop', replicas: 12, requests: { cpu: '500m', memory: '1Gi' } } },
    { at: '25s', deploy: { name: 'checkout', replicas: 12, requests: { cpu: 1, memory: '2Gi' } } },
    { at: '1m45s', job: { name: 'report', pods: 20, runsFor: '45s', requests: { cpu: '900m', memory: '1536Mi' } } },
    { at: '3m50s', deploy: { name: 'search', replicas: 12, requests: { cpu: '1500m', memory: '5Gi' } } },
    { at: '5m10s', scale: { name: 'shop', replicas: 48 } },
  ],
};
