import { expect, test } from 'vitest';
import { groupName, nodeName } from '../../../core/model/values/names.ts';
import { INSTANCE_TYPE_LABEL, type Node } from '../../../core/model/cluster/node.ts';
import type { CsiNode } from '../../../core/model/cluster/storage.ts';
import type { NodeInfo, Snapshot } from '../../../core/model/snapshot/snapshot.ts';
import { expectedCsiNodes } from '../../../core/scheduling/expected-csi-nodes.ts';
import { csiNode, node } from '../../builders.ts';

const info = (name: string, type: string | null, group: string | null, uid = `uid-${name}`): NodeInfo => {
  const made: Node = { ...node(name), uid, labels: type === null ? {} : { [INSTANCE_TYPE_LABEL]: type } };
  return { name: nodeName(name), node: made, group: group === null ? null : groupName(group) } as NodeInfo;
};
const planned = (type: string | null, group: string | null): NodeInfo => info('planned-1', type, group, 'planned-1');

const limitOf = (there: readonly NodeInfo[], csiNodes: readonly CsiNode[], of: NodeInfo): number | null | undefined =>
  expectedCsiNodes({ nodes: there } as unknown as Snapshot, {
    csiNodes: new Map(csiNodes.map((one) => [one.name, one])),
  })(of)?.drivers[0]!.count;

test.each<[string, readonly NodeInfo[], NodeInfo, number | undefined]>([
  [
    'has the limit of the nodes of its instance type',
    [info('a', 'm5', 'x'), info('b', 'c5', 'y')],
    planned('m5', 'y'),
    2,
  ],
  ['has the limit of its group where no node is of its type', [info('a', 'm5', 'x')], planned('r5', 'x'), 2],
  ['has the largest limit of those', [info('a', 'm5', 'x'), info('b', 'm5', 'x')], planned('m5', 'x'), 3],
  ['has no known limit where none is like it', [info('a', 'm5', 'x')], planned('r5', 'y'), undefined],
  ['has none of a node without a CSINode', [info('c', 'm5', 'x')], planned('m5', 'x'), undefined],
  ['has none by nothing in common', [info('a', null, null)], planned(null, null), undefined],
])('a planned node %s', (_, there, of, expected) => {
  expect(limitOf(there, [csiNode('a', 2), csiNode('b', 3)], of)).toBe(expected);
});

test('a node that is there and has no CSINode has no limit, as for kube-scheduler', () => {
  expect(limitOf([info('a', 'm5', 'x')], [csiNode('a', 2)], info('c', 'm5', 'x'))).toBeUndefined();
});

test('a driver without a limit on one node has that of another', () => {
  const unlimited: CsiNode = { ...csiNode('b', 3), drivers: [{ ...csiNode('b', 3).drivers[0]!, count: null }] };
  expect(limitOf([info('b', 'm5', 'x'), info('a', 'm5', 'x')], [csiNode('a', 2), unlimited], planned('m5', 'x'))).toBe(
    2,
  );
});
