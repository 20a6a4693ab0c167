// Source: docs/scheduler-conformance.md, "Versions".
import { describe, expect, it } from 'vitest';
import type { ClusterObjects } from '../../../../core/model/scenario.ts';
import type { Pod } from '../../../../core/model/cluster/pod.ts';
import { affinityTerm, container, node, pod, selector } from '../../../builders.ts';
import { fit } from '../fit.ts';

const GPU = 'example.com/gpu';
const hostPorts = [{ hostIP: '', hostPort: 80, protocol: 'TCP' }];
const withSidecar = { initContainers: [container({}, { restartable: true, hostPorts })] };
const ofOtherNamespaces = affinityTerm(
  'zone',
  selector({ app: 'web' }),
  selector({}, { key: 'env', operator: 'DoesNotExist', values: [] }),
);

/** A pending pod, its cluster of one node `n`, and the verdicts of kube-scheduler 1.33 to 1.37. */
interface Row {
  readonly pending: Pod;
  readonly cluster?: Partial<ClusterObjects>;
  readonly expected: readonly [string, string, string, string, string];
}

const ROWS: Readonly<Record<string, Row>> = {
  'host ports of sidecars count since 1.34': {
    pending: pod('p', { spec: withSidecar }),
    cluster: { pods: [pod('there', { node: 'n', spec: withSidecar })] },
    expected: ['ok', 'NodePorts', 'NodePorts', 'NodePorts', 'NodePorts'],
  },
  'a namespace selector for absent labels alone matches every namespace from 1.34 to 1.36': {
    pending: pod('p', { spec: { podAntiAffinity: [ofOtherNamespaces] } }),
    cluster: {
      pods: [{ ...pod('there', { node: 'n', labels: { app: 'web' } }), namespace: 'other' }],
      namespaces: [{ name: 'other', labels: { env: 'prod' } }],
    },
    expected: ['ok', 'InterPodAffinity', 'InterPodAffinity', 'InterPodAffinity', 'ok'],
  },
  'declared features are filtered by since 1.36': {
    pending: pod('p', { spec: { requiredFeatures: ['RestartAllContainersOnContainerExits'] } }),
    expected: ['ok', 'ok', 'ok', 'NodeDeclaredFeatures', 'NodeDeclaredFeatures'],
  },
  'extended resources of a DeviceClass are devices since 1.36': {
    pending: pod('p', { requests: { [GPU]: 1 } }),
    cluster: { deviceClasses: [{ name: 'gpus', extendedResourceName: GPU }] },
    expected: ['NodeResourcesFit', 'NodeResourcesFit', 'NodeResourcesFit', 'NotSimulated', 'NotSimulated'],
  },
};

describe.each(Object.entries(ROWS))('%s', (_, { pending, cluster, expected }) => {
  const nodes = [node('n', {}, { labels: { zone: 'a' } })];
  const verdictOf = (kubernetesMinor: number | undefined) =>
    fit(pending, { nodes, ...cluster, ...(kubernetesMinor !== undefined && { kubernetesMinor }) })['n'];

  it('follows the version of the API server', () => {
    expect([33, 34, 35, 36, 37].map(verdictOf)).toEqual(expected);
  });

  it('follows the nearest version where the version is older or newer, and 1.36 where it is unknown', () => {
    expect([32, 38, undefined].map(verdictOf)).toEqual([expected[0], expected[4], expected[3]]);
  });
});
