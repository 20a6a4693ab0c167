import { describe, expect, it } from 'vitest';
import { readController } from '../../manifest-readers.ts';

const metadata = { name: 'x' };

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
