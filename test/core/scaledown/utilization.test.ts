import { describe, expect, test } from 'vitest';
import type { Node } from '../../../core/model/cluster/node.ts';
import type { Pod } from '../../../core/model/cluster/pod.ts';
import { type IgnoredPods, utilizationOf } from '../../../core/scaledown/utilization.ts';
import { clusterSnapshot } from '../../../core/scheduling/cluster-snapshot.ts';
import { type Amounts, clusterObjects, node, pod, type PodOptions } from '../../builders.ts';
import { NOW, times } from '../../scenario-builders.ts';
import { ago, decide, replica, workerNode } from './cluster.ts';

const GPU = { cpu: 8, memory: '32Gi', 'nvidia.com/gpu': 4 };
const LABELLED: Partial<Node> = { labels: { 'k8s.amazonaws.com/accelerator': 'nvidia-tesla-v100' } };
const of = (requests: Amounts, options: PodOptions = {}): Pod =>
  pod(`p-${JSON.stringify([requests, options])}`, { node: 'n', requests, ...options });
const daemon = (requests: Amounts): Pod => of(requests, { owner: 'DaemonSet/agent' });
const mirror = (requests: Amounts): Pod => of(requests, { annotations: { 'kubernetes.io/config.mirror': 'x' } });
/** Its grace period of 30 s, and 30 s more, were over at noon if it was deleted a minute before. */
const ending = (minutes: number): PodOptions => ({ deletedAt: ago(minutes) });

const COUNT_ALL: IgnoredPods = { daemons: false, mirrors: false };
const IGNORE_DAEMONS: IgnoredPods = { daemons: true, mirrors: false };
const IGNORE_MIRRORS: IgnoredPods = { daemons: false, mirrors: true };

function utilization(of: Node, pods: readonly Pod[], ignored: IgnoredPods) {
  const snapshot = clusterSnapshot(clusterObjects({ nodes: [of], pods }), []);
  return utilizationOf(snapshot.byName(of.name)!, pods, ignored, { provider: 'aws', now: NOW });
}

const plain = node('n', { cpu: 4, memory: '16Gi' });

describe('the utilization of a node (simulator/utilization)', () => {
  test.each<
    readonly [what: string, on: Node, pods: readonly Pod[], ignored: IgnoredPods, resource: string, share: number]
  >([
    ['nothing', plain, [], COUNT_ALL, 'memory', 0],
    ['the larger of both: cpu', plain, [of({ cpu: 1, memory: '1Gi' })], COUNT_ALL, 'cpu', 0.25],
    ['the larger of both: memory', plain, [of({ cpu: 1, memory: '8Gi' })], COUNT_ALL, 'memory', 0.5],
    ['the sum of all pods', plain, [of({ cpu: 1 }), of({ cpu: '500m' })], COUNT_ALL, 'cpu', 0.375],
    ['DaemonSet pods count', plain, [of({ cpu: 1 }), daemon({ cpu: 2 })], COUNT_ALL, 'cpu', 0.75],
    [
      'or are left out, above and below the line',
      plain,
      [of({ cpu: 1 }), daemon({ cpu: 2 })],
      IGNORE_DAEMONS,
      'cpu',
      0.5,
    ],
    ['mirror pods count', plain, [of({ cpu: 1 }), mirror({ cpu: 2 })], COUNT_ALL, 'cpu', 0.75],
    ['or are left out', plain, [of({ cpu: 1 }), mirror({ cpu: 2 })], IGNORE_MIRRORS, 'cpu', 0.5],
    ['only the ones that are to be', plain, [daemon({ cpu: 1 }), mirror({ cpu: 1 })], IGNORE_MIRRORS, 'cpu', 1 / 3],
    ['a node with nothing but ignored pods', plain, [daemon({ cpu: 4 })], IGNORE_DAEMONS, 'memory', 0],
    ['ignored pods that leave nothing', plain, [of({ cpu: 1 }), daemon({ cpu: 4 })], IGNORE_DAEMONS, 'cpu', Infinity],
    ['a pod that is ending', plain, [of({ cpu: 1 }, ending(0.5))], COUNT_ALL, 'cpu', 0.25],
    ['a pod that should have ended', plain, [of({ cpu: 1 }, ending(1.1)), of({ cpu: 2 })], COUNT_ALL, 'cpu', 0.5],
    ['GPUs alone, where there are some', node('n', GPU), [of({ cpu: 8, 'nvidia.com/gpu': 1 })], COUNT_ALL, 'gpu', 0.25],
    ['GPUs that no pod uses', node('n', GPU), [of({ cpu: 8 })], COUNT_ALL, 'gpu', 0],
    ['GPUs that have not appeared', node('n', { cpu: 8, memory: 1 }, LABELLED), [of({ cpu: 8 })], COUNT_ALL, 'gpu', 0],
    ['DaemonSet pods on GPUs', node('n', GPU), [daemon({ 'nvidia.com/gpu': 2 })], COUNT_ALL, 'gpu', 0.5],
    [
      'or left out',
      node('n', GPU),
      [daemon({ 'nvidia.com/gpu': 2 }), of({ 'nvidia.com/gpu': 1 })],
      IGNORE_DAEMONS,
      'gpu',
      0.5,
    ],
  ])('%s', (_, on, pods, ignored, resource, share) => {
    expect(utilization(on, pods, ignored)).toMatchObject({ resource, share: expect.closeTo(share, 12) });
  });

  test.each<readonly [what: string, on: Node]>([
    ['cpu', node('n', { memory: '16Gi' })],
    ['memory', node('n', { cpu: 4 })],
    ['any of its cpu', node('n', { cpu: 0, memory: '16Gi' })],
  ])('is not known of a node that does not tell %s', (_, on) => {
    expect(utilization(on, [], COUNT_ALL)).toBeNull();
  });
});

test('a decision has the use of unneeded nodes, of each resource', () => {
  const pods = [
    replica('p', 'n1', { requests: { cpu: '1280m', memory: '4Gi' } }),
    replica('q', 'n2', { requests: { cpu: '2500m' } }),
  ];
  const { scaleDown } = decide({ nodes: times(3, (i) => workerNode(`n${i + 1}`)), pods });
  expect(scaleDown.unneeded).toEqual(['n1', 'n3']);
  expect(scaleDown.utilization).toEqual({
    n1: { cpu: 0.32, memory: 0.25, threshold: 0.5 },
    n3: { cpu: 0, memory: 0, threshold: 0.5 },
  });
  expect(decide({ nodes: [workerNode('n2')], pods: [pods[1]!] }).scaleDown.utilization).toBeUndefined();
});
