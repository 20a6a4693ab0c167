import { describe, expect, it } from 'vitest';
import { evictionOrder, evictsDaemon, graceOf, rankOf } from '../../../core/drain/eviction-order.ts';
import { type DrainPriority, defaultOptions } from '../../../core/model/options.ts';
import type { Pod } from '../../../core/model/cluster/pod.ts';
import { node } from '../../builders.ts';
import { daemonPod, webPod } from './one-node-world.ts';

const CONFIG: readonly DrainPriority[] = [
  { priority: 0, graceSeconds: 60 },
  { priority: 1_000, graceSeconds: 20 },
  { priority: 2_000_000_000, graceSeconds: 5 },
];
const withConfig = { ...defaultOptions(), drainPriorityConfig: CONFIG };
const of = (priority: number | null) => webPod('p', { spec: { priority } });

describe('the rank of a pod', () => {
  it.each<[string, Pod, number]>([
    ['without a priority', of(null), 0],
    ['of low priority', of(-5), 0],
    ['of high priority, and not critical', of(1_999_999_999), 0],
    ['critical for the cluster', of(2_000_000_000), 1],
    ['critical for its node', of(2_000_001_000), 1],
    ['of a DaemonSet', daemonPod('d'), 2],
    ['of a DaemonSet that is critical', daemonPod('d', { spec: { priority: 2_000_001_000 } }), 3],
    [
      'declared to be like one of a DaemonSet',
      webPod('d', { annotations: { 'cluster-autoscaler.kubernetes.io/daemonset-pod': 'true' } }),
      2,
    ],
  ])('%s is %#', (_, pod, rank) => {
    expect(rankOf(pod, defaultOptions())).toBe(rank);
  });

  it.each<[number | null, number, number]>([
    [-10, 0, 30],
    [null, 0, 30],
    [0, 0, 30],
    [999, 0, 30],
    [1_000, 1, 20],
    [1_999_999_999, 1, 20],
    [2_000_000_000, 2, 5],
    [2_000_001_000, 2, 5],
  ])('of priority %j is %i with drainPriorityConfig, and it has %i seconds', (priority, rank, grace) => {
    expect(rankOf(of(priority), withConfig)).toBe(rank);
    expect(graceOf(of(priority), withConfig)).toBe(grace);
  });
});

describe('the grace of a pod', () => {
  it.each([
    [30, 600, 30],
    [600, 600, 600],
    [3_600, 600, 600],
    [0, 600, 0],
    [30, 10, 10],
    [30, 0, 0],
  ])('of %i seconds, at most %i, is %i', (own, longest, grace) => {
    const options = { ...defaultOptions(), maxGracefulTerminationSec: longest };
    expect(graceOf(webPod('p', { spec: { terminationGracePeriodSeconds: own } }), options)).toBe(grace);
  });
});

it('puts pods whose deletion costs least first, those that are alike by name', () => {
  const cost = (name: string, value?: string) =>
    webPod(name, value === undefined ? {} : { annotations: { 'controller.kubernetes.io/pod-deletion-cost': value } });
  const pods = [
    cost('e', '100'),
    cost('d'),
    cost('c', 'much'),
    cost('b', '-7'),
    cost('a', '0'),
    cost('f', '9'.repeat(200_000)),
  ];
  expect(pods.toSorted(evictionOrder({})).map(({ name }) => name)).toEqual(['b', 'a', 'c', 'd', 'f', 'e']);
});

it('puts pods of lower priority first, and at equal priority workloads before DaemonSets', () => {
  const pods = [
    of(1_000),
    daemonPod('d', { spec: { priority: 5 } }),
    webPod('cheap', { spec: { priority: 5 }, annotations: { 'controller.kubernetes.io/pod-deletion-cost': '-1' } }),
    webPod('dear', { spec: { priority: 5 } }),
    webPod('none'),
    webPod('low', { spec: { priority: -5 }, annotations: { 'controller.kubernetes.io/pod-deletion-cost': '9' } }),
  ];
  const inOrder = pods.toSorted(evictionOrder({})).map(({ name }) => name);
  expect(inOrder).toEqual(['low', 'none', 'cheap', 'dear', 'd', 'p']);
});

it('puts the largest first of pods whose deletion costs the same, by the resource that they need most of', () => {
  const { allocatable } = node('n1', { cpu: 4, memory: '16Gi' });
  const pods = [
    webPod('a', { requests: { cpu: '1', memory: '1Gi' } }),
    webPod('b', { requests: { cpu: '500m', memory: '8Gi' } }),
    webPod('c', { requests: { cpu: '3' } }),
    webPod('d', { requests: { cpu: '3' }, annotations: { 'controller.kubernetes.io/pod-deletion-cost': '1' } }),
  ];
  expect(pods.toSorted(evictionOrder(allocatable)).map(({ name }) => name)).toEqual(['c', 'b', 'a', 'd']);
});

it('puts the largest first by whatever they need most of, devices and volumes too', () => {
  const { allocatable } = node('n1', { cpu: 4, memory: '16Gi', 'nvidia.com/gpu': 8 });
  const gpus = (name: string, number: number) =>
    webPod(name, { requests: { cpu: '100m', 'nvidia.com/gpu': String(number) } });
  const claims = (name: string, number: number) =>
    webPod(name, {
      requests: { cpu: '100m' },
      spec: {
        volumes: [
          ...Array.from({ length: 9 - 2 * number }, (_, i) => ({
            kind: 'emptyDir' as const,
            name: `tmp${i}`,
            medium: '',
          })),
          ...Array.from({ length: number }, (_, i) => ({
            kind: 'claim' as const,
            name: `v${i}`,
            claimName: `${name}-${i}`,
            readOnly: false,
          })),
        ],
      },
    });
  const unknown = webPod('h', { requests: { cpu: '100m', 'example.com/none': '100' } });
  const pods = [claims('a', 0), claims('b', 1), claims('c', 2), gpus('d', 1), gpus('e', 4), gpus('f', 2), unknown];
  expect(pods.toSorted(evictionOrder(allocatable)).map(({ name }) => name)).toEqual([
    'e',
    'f',
    'd',
    'c',
    'b',
    'a',
    'h',
  ]);
});

describe('a DaemonSet pod', () => {
  const own = (value: string) =>
    daemonPod('d', { annotations: { 'cluster-autoscaler.kubernetes.io/enable-ds-eviction': value } });

  it.each([
    ['of an empty node', 'empty', daemonPod('d'), false],
    ['of another node', 'drain', daemonPod('d'), true],
    ['that says so, of an empty node', 'empty', own('true'), true],
    ['that says no, of another node', 'drain', own('false'), false],
    ['that says nothing sensible, of an empty node', 'empty', own('yes'), false],
    ['that says nothing sensible, of another node', 'drain', own('yes'), true],
  ] as const)('%s: evicted is %#', (_, kind, pod, evicted) => {
    expect(evictsDaemon(pod, kind, defaultOptions())).toBe(evicted);
  });
});
