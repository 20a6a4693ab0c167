import { describe, expect, test } from 'vitest';
import { groupName } from '../../../../core/model/values/names.ts';
import type { Node, NodeCondition } from '../../../../core/model/cluster/node.ts';
import { epochMs } from '../../../../core/model/values/time.ts';
import {
  anyNode,
  sampleNode,
  sampleOf,
  templateOfLiveNode,
} from '../../../../providers/node-groups/templates/live-node.ts';
import { node } from '../../../builders.ts';

const NOW = epochMs(Date.UTC(2026, 0, 1));
const condition = (type: string, status: string, secondsAgo = 3_600): NodeCondition => ({
  type,
  status,
  reason: '',
  since: epochMs(NOW - secondsAgo * 1_000),
});
const READY = condition('Ready', 'True');
const taint = (key: string, effect = 'NoSchedule') => ({ key, value: '', effect });
const live = (name: string, extra: Partial<Node> = {}) => node(name, { cpu: 2 }, { conditions: [READY], ...extra });

describe('the node to read', () => {
  const bad: readonly (readonly [string, Partial<Node>])[] = [
    ['not ready', { conditions: [condition('Ready', 'False')] }],
    ['unknown', { conditions: [condition('Ready', 'Unknown')] }],
    ['without conditions', { conditions: [] }],
    ['short of disk', { conditions: [READY, condition('DiskPressure', 'True')] }],
    ['without network', { conditions: [READY, condition('NetworkUnavailable', 'True')] }],
    ['tainted not-ready', { taints: [taint('node.kubernetes.io/not-ready')] }],
    ['still starting', { taints: [taint('startup-taint.cluster-autoscaler.kubernetes.io/gpu')] }],
    ['cordoned', { unschedulable: true }],
    ['being removed', { taints: [taint('ToBeDeletedByClusterAutoscaler')] }],
    ['being deleted', { deletedAt: NOW }],
  ];
  test.each(bad)('is none that is %s', (_, extra) => {
    expect(sampleNode([live('bad', extra)], NOW)).toBeNull();
    expect(sampleNode([live('bad', extra), live('good')], NOW)?.name).toBe('good');
  });

  test('has been ready for a minute, if any has', () => {
    const fresh = live('fresh', { conditions: [condition('Ready', 'True', 59)], createdAt: NOW });
    const settled = live('settled', { conditions: [condition('Ready', 'True', 60)] });
    expect(sampleNode([fresh, settled], NOW)?.name).toBe('settled');
    expect(sampleNode([fresh], NOW)?.name).toBe('fresh');
  });

  test('is the newest, and by name among equals, whatever the order', () => {
    const nodes = [
      live('b', { createdAt: epochMs(2) }),
      live('a', { createdAt: epochMs(2) }),
      live('c', { createdAt: epochMs(1) }),
    ];
    expect(sampleNode(nodes, NOW)?.name).toBe('a');
    expect(sampleNode(nodes.toReversed(), NOW)?.name).toBe('a');
  });

  describe('has the amounts of most nodes', () => {
    const KIB = 1_024;
    const honest = (i: number): Node =>
      live(`n-${i}`, {
        createdAt: epochMs(NOW - i * 60_000),
        capacity: { cpu: 2_000, memory: 7_934_340 * KIB + i * 4 * KIB, pods: 29 },
        allocatable: { cpu: 1_930, memory: 7_244_164 * KIB + ((i * 7) % 5) * 4 * KIB, pods: 29 },
      });
    const lying = (amounts: Node['allocatable'], of: Node = honest(0)): Node => ({
      ...of,
      capacity: { ...of.capacity, ...amounts },
      allocatable: { ...of.allocatable, ...amounts },
    });
    const sampled = (...nodes: readonly Node[]) => sampleOf(nodes, NOW)!;

    test.each([
      ['a byte of memory', { memory: 1 }],
      ['64 TiB of memory', { memory: 64 * 2 ** 40 }],
      ['a device that no other has', { 'example.com/fpga': 8 }],
    ])('where the newest of three states %s', (_, amounts) => {
      const { node: sample, confirmed } = sampled(lying(amounts), honest(1), honest(2));
      expect(sample.name).toBe('n-0');
      expect(sample.allocatable['memory']! / KIB / KIB).toBeCloseTo(7_244_164 / KIB, 0);
      expect(sample.allocatable['example.com/fpga']).toBeUndefined();
      expect(confirmed).toBe(true);
    });

    test('where a launch template has changed, after three of its nodes', () => {
      const changed = (i: number): Node => lying({ pods: 110 }, honest(i));
      const old = [5, 6, 7, 8].map(honest);
      expect(sampled(changed(0), changed(1), ...old).node.allocatable['pods']).toBe(29);
      expect(sampled(changed(0), changed(1), changed(2), ...old).node.allocatable['pods']).toBe(110);
    });

    test('of two the lower, which nothing confirms where they differ', () => {
      const { node: sample, confirmed } = sampled(lying({ memory: 1 }), honest(1));
      expect([sample.allocatable['memory'], confirmed]).toEqual([1, false]);
      expect(sampled(honest(0), honest(1)).confirmed).toBe(true);
      expect(sampled(honest(0)).confirmed).toBe(false);
    });

    test('of its own instance type alone', () => {
      const typed = (of: Node, type: string): Node => ({ ...of, labels: { 'node.kubernetes.io/instance-type': type } });
      const large = lying({ cpu: 8_000 });
      expect(
        sampled(typed(large, 'm5.2xlarge'), typed(honest(1), 'm5.large'), typed(honest(2), 'm5.large')).node.capacity[
          'cpu'
        ],
      ).toBe(8_000);
    });
  });

  test('as a last resort is any, rather one that stays', () => {
    const leaving = live('leaving', { deletedAt: NOW, createdAt: epochMs(2) });
    const unready = live('unready', { conditions: [], createdAt: epochMs(1) });
    expect(anyNode([leaving, unready])?.name).toBe('unready');
    expect(anyNode([leaving])?.name).toBe('leaving');
    expect(anyNode([])).toBeNull();
  });
});

describe('template of a live node', () => {
  const group = groupName('web');

  test('keeps what the next node will have, and nothing of the one it was', () => {
    const template = templateOfLiveNode(
      group,
      live('ip-10-0-0-1', {
        labels: { pool: 'general' },
        annotations: { 'cluster-autoscaler.kubernetes.io/scale-down-disabled': 'true' },
        createdAt: NOW,
        providerId: 'aws:///us-east-1a/i-1',
        unschedulable: true,
        conditions: [condition('Ready', 'Unknown')],
      }),
      {},
    );
    expect(template.pods).toEqual([]);
    expect(template.node).toMatchObject({
      name: 'template-node-for-web',
      uid: '',
      labels: { pool: 'general', 'kubernetes.io/hostname': 'template-node-for-web' },
      annotations: {},
      createdAt: null,
      providerId: null,
      unschedulable: false,
      capacity: { cpu: 2_000 },
    });
    expect(template.node.conditions.find(({ type }) => type === 'Ready')?.status).toBe('True');
  });

  test.each([
    ['node.kubernetes.io/not-ready', false],
    ['node.kubernetes.io/unreachable', false],
    ['node.kubernetes.io/unschedulable', false],
    ['node.kubernetes.io/memory-pressure', false],
    ['node.kubernetes.io/disk-pressure', false],
    ['node.kubernetes.io/pid-pressure', false],
    ['node.kubernetes.io/network-unavailable', false],
    ['node.cloudprovider.kubernetes.io/uninitialized', false],
    ['node.cloudprovider.kubernetes.io/shutdown', false],
    ['cloud.google.com/impending-node-termination', false],
    ['NodeWithImpairedVolumes', false],
    ['ToBeDeletedByClusterAutoscaler', false],
    ['DeletionCandidateOfClusterAutoscaler', false],
    ['node-lifecycle.kubernetes.io/disruption', false],
    ['startup-taint.cluster-autoscaler.kubernetes.io/a', false],
    ['ignore-taint.cluster-autoscaler.kubernetes.io/a', false],
    ['status-taint.cluster-autoscaler.kubernetes.io/a', false],
    ['dedicated', true],
    ['node.kubernetes.io/out-of-service', true],
  ])('taint %s stays: %s', (key, stays) => {
    const { taints } = templateOfLiveNode(group, live('n', { taints: [taint(key)] }), {}).node;
    expect(taints.map((kept) => kept.key)).toEqual(stays ? [key] : []);
  });

  test('keeps the features that the kubelet declares', () => {
    const declaredFeatures = ['RestartAllContainersOnContainerExits'];
    expect(templateOfLiveNode(group, live('n', { declaredFeatures }), {}).node).toMatchObject({ declaredFeatures });
    expect(templateOfLiveNode(group, live('n'), {}).node).not.toHaveProperty('declaredFeatures');
  });

  test('gains resources from tags that the node does not show, and keeps those that it does', () => {
    const { capacity, allocatable } = templateOfLiveNode(group, live('n'), { cpu: 9_000, 'nvidia.com/gpu': 1 }).node;
    expect([capacity['cpu'], allocatable['cpu']]).toEqual([2_000, 2_000]);
    expect([capacity['nvidia.com/gpu'], allocatable['nvidia.com/gpu']]).toEqual([1, 1]);
  });
});
