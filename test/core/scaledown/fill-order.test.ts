import { describe, expect, it, test } from 'vitest';
import { FILL_TAINTS } from '../../../core/model/cluster/fill-taints.ts';
import type { Node, Taint } from '../../../core/model/cluster/node.ts';
import { isPassingTaint } from '../../../core/model/cluster/node-condition.ts';
import { defaultOptions, type Options } from '../../../core/model/options.ts';
import { nodeName } from '../../../core/model/values/names.ts';
import { fillOrder } from '../../../core/scaledown/fill-order.ts';
import { softTaintChanges, softTaintsFor } from '../../../core/scaledown/soft-taints.ts';
import { node } from '../../builders.ts';
import { group } from '../../scenario-builders.ts';
import { ago } from './cluster.ts';

const ON: Options = { ...defaultOptions(), fillOldestNodesFirst: true };
const [LATE, LATER, LAST] = FILL_TAINTS as readonly [Taint, Taint, Taint];
const GPU: Taint = { key: 'gpu', value: '', effect: 'NoSchedule' };
const HARD: Taint = { key: 'ToBeDeletedByClusterAutoscaler', value: '1', effect: 'NoSchedule' };

/** @param age in minutes. */
const aged = (name: string, age: number, ...taints: readonly Taint[]): Node => ({
  ...node(name, {}, { taints }),
  createdAt: ago(age),
});

/** Node `n8` is eight minutes old, and so on. */
const nodes = (count: number): readonly Node[] => Array.from({ length: count }, (_, i) => aged(`n${i + 1}`, i + 1));

const GROUP = group('g');
const ranks = (some: readonly Node[], options = ON, of = GROUP): Readonly<Record<string, number>> =>
  Object.fromEntries(fillOrder(some, () => of, options));

describe('the order in which nodes are filled', () => {
  it.each<[string, readonly Node[], Readonly<Record<string, number>>]>([
    ['one node is as it was', nodes(1), { n1: 0 }],
    ['of two the younger one comes last', nodes(2), { n1: 1, n2: 0 }],
    ['of four each has a place of its own but two', nodes(4), { n1: 2, n2: 1, n3: 1, n4: 0 }],
    ['of eight a quarter bears nothing', nodes(8), { n1: 3, n2: 2, n3: 2, n4: 1, n5: 1, n6: 1, n7: 0, n8: 0 }],
    ['of nodes of one age the name decides', [aged('b', 5), aged('a', 5)], { a: 1, b: 0 }],
    [
      'nodes kept for other pods have an order of their own',
      [aged('a', 1, GPU), aged('b', 2), aged('c', 3, GPU), aged('d', 4)],
      { a: 1, b: 1, c: 0, d: 0 },
    ],
    ['nodes that are being removed have none', [aged('a', 1, HARD), aged('b', 2), aged('c', 3)], { b: 1, c: 0 }],
  ])('%s', (_, some, expected) => {
    expect(ranks(some)).toEqual(expected);
    expect(ranks(some.toReversed())).toEqual(expected);
  });

  test('is left to the scheduler without the option, which a group may have by itself', () => {
    expect(ranks(nodes(4), defaultOptions())).toEqual({});
    const own = { ...GROUP, options: { fillOldestNodesFirst: true } };
    expect(ranks(nodes(2), defaultOptions(), own)).toEqual({ n1: 1, n2: 0 });
  });
});

describe('the taints by which nodes are filled in that order', () => {
  const changes = (
    some: readonly Node[],
    rank: number,
    since: Parameters<typeof softTaintChanges>[1] = {},
    options = ON,
  ) =>
    softTaintChanges(some, since, options, new Map(some.map(({ name }) => [name, rank]))).map(
      ({ node: name, change }) =>
        [
          name,
          ...change.removeTaints.map(({ key }) => `-${key}`),
          ...change.addTaints.map(({ key, effect }) => `+${key}:${effect}`),
          ...Object.keys(change.annotations),
        ].join(' '),
    );

  test('come on as many as its rank says', () => {
    expect(changes([aged('a', 1)], 2)).toEqual([
      'a +outrigger.dev/filled-late:PreferNoSchedule +outrigger.dev/filled-later:PreferNoSchedule',
    ]);
    expect(changes([aged('a', 1, LATE)], 2)).toEqual(['a +outrigger.dev/filled-later:PreferNoSchedule']);
  });

  test('come off where it has grown older', () => {
    expect(changes([aged('a', 1, LATE, LATER, LAST)], 1)).toEqual([
      'a -outrigger.dev/filled-later -outrigger.dev/filled-last',
    ]);
    expect(changes([aged('a', 1, LATE)], 1)).toEqual([]);
  });

  test('all come off where the option is off, where scale-down is, and where there are to be no soft taints', () => {
    const some = [aged('a', 1, LATE)];
    expect(changes(some, 0)).toEqual(['a -outrigger.dev/filled-late']);
    expect(changes(some, 1, {}, { ...ON, scaleDownEnabled: false })).toEqual(['a -outrigger.dev/filled-late']);
    expect(changes(some, 1, {}, { ...ON, maxBulkSoftTaintCount: 0 })).toEqual(['a -outrigger.dev/filled-late']);
  });

  test('come beside the soft taint of an unneeded node, and leave its annotation', () => {
    const since = { [nodeName('a')]: ago(1) };
    const candidate: Taint = {
      key: 'node-lifecycle.kubernetes.io/disruption',
      value: 'candidate',
      effect: 'PreferNoSchedule',
    };
    const unneeded = { ...aged('a', 1, candidate), annotations: { 'outrigger.dev/unneeded-since': '7' } };
    expect(changes([unneeded], 1, since, { ...ON, nodeLifecycleTaints: true })).toEqual([
      'a +outrigger.dev/filled-late:PreferNoSchedule',
    ]);
  });

  test('come after all changes to the taints of unneeded nodes', () => {
    const soft: Taint = { key: 'DeletionCandidateOfClusterAutoscaler', value: '7', effect: 'PreferNoSchedule' };
    const some = [aged('a', 1), aged('b', 2), aged('c', 3, soft)];
    const since = { [nodeName('b')]: ago(1) };
    expect(changes(some, 1, since).map((row) => row[0])).toEqual(['c', 'b', 'a']);
  });

  test('are none of a new node of the group', () => {
    expect(FILL_TAINTS.every(({ key }) => isPassingTaint(key))).toBe(true);
  });

  test('a node that cannot be read keeps its taints, and the others get theirs', () => {
    const unreadable = new Proxy(aged('x', 9), {
      get: (of, key) => {
        if (key === 'taints') {
          throw new Error('unreadable');
        }
        return Reflect.get(of, key) as unknown;
      },
    });
    const of = { ...GROUP, nodes: ['n1', 'n2', 'x'].map((name) => nodeName(name)) };
    const objects = { nodes: [...nodes(2), unreadable] } as unknown as Parameters<typeof softTaintsFor>[0]['objects'];
    const found = softTaintsFor({ nodeGroups: [of], objects, options: ON }, { unneededSince: {} });
    expect(found.map(({ node: name }) => name)).toEqual(['n1']);
  });
});
