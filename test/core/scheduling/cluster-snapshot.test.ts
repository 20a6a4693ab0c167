import { describe, expect, it } from 'vitest';
import { groupName, nodeName } from '../../../core/model/values/names.ts';
import type { Pod } from '../../../core/model/cluster/pod.ts';
import { clusterSnapshot } from '../../../core/scheduling/cluster-snapshot.ts';
import { clusterObjects, node, pod, selector, spreadConstraint } from '../../builders.ts';

const NODES = [node('b'), node('a'), node('c')];

/** Pods on each node. */
const counts = (pods: readonly Pod[]): Readonly<Record<string, number>> => {
  const snapshot = clusterSnapshot(clusterObjects({ nodes: NODES, pods }), []);
  return Object.fromEntries(snapshot.nodes.map((info) => [info!.name, info!.podCount]));
};

it('has the nodes in the order of their names', () => {
  expect(Object.keys(counts([]))).toEqual(['a', 'b', 'c']);
});

describe('pods', () => {
  it.each<[string, Pod, number]>([
    ['that run', pod('p', { node: 'a' }), 1],
    ['that are bound and Pending', pod('p', { node: 'a', phase: 'Pending' }), 1],
    ['whose state is unknown', pod('p', { node: 'a', phase: 'Unknown' }), 1],
    ['that terminate', pod('p', { node: 'a', deletedAt: 1 as never }), 1],
    ['that have succeeded', pod('p', { node: 'a', phase: 'Succeeded' }), 0],
    ['that have failed', pod('p', { node: 'a', phase: 'Failed' }), 0],
    ['that wait', pod('p'), 0],
    ['that are nominated', pod('p', { nominatedNode: 'a' }), 1],
    ['that are bound elsewhere than they were nominated', pod('p', { node: 'b', nominatedNode: 'a' }), 0],
    ['of nodes that are gone', pod('p', { node: 'gone' }), 0],
  ])('%s: %#', (_, there, count) => {
    expect(counts([there])['a']).toBe(count);
  });
});

it('has the group of each node', () => {
  const snapshot = clusterSnapshot(clusterObjects({ nodes: NODES }), [], {
    groups: new Map([[nodeName('b'), groupName('g')]]),
  });
  expect(snapshot.nodes.map((info) => info!.group)).toEqual([null, 'g', null]);
});

describe('kinds of pods', () => {
  const plain = (name: string, labels: Pod['labels']): Pod => pod(name, { labels, node: 'a' });

  it('do not differ by labels that no selector names', () => {
    const snapshot = clusterSnapshot(clusterObjects({ nodes: NODES, pods: [plain('p', { x: '1' })] }), []);
    expect(snapshot.kindOf(plain('q', { x: '2' }))).toBe(snapshot.kindOf(plain('p', { x: '1' })));
  });

  it('differ by labels that an extra pod selects', () => {
    const constraint = spreadConstraint('zone', selector({ x: '1' }));
    const extra = pod('extra', { spec: { topologySpread: [constraint] } });
    const snapshot = clusterSnapshot(clusterObjects({ nodes: NODES, pods: [plain('p', { x: '1' })] }), [extra]);
    expect(snapshot.kindOf(plain('q', { x: '2' }))).not.toBe(snapshot.kindOf(plain('p', { x: '1' })));
    expect(snapshot.nodes[0]!.podCount).toBe(1);
  });
});
