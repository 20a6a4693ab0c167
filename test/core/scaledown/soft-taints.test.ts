import { describe, expect, it } from 'vitest';
import { nodeName } from '../../../core/model/values/names.ts';
import type { Node, Taint } from '../../../core/model/cluster/node.ts';
import { defaultOptions, type Options } from '../../../core/model/options.ts';
import { epochMs } from '../../../core/model/values/time.ts';
import { softTaintChanges } from '../../../core/scaledown/soft-taints.ts';
import { node } from '../../builders.ts';

const SINCE = epochMs(1_767_268_800_000);
const soft = (value = '1767268800'): Taint => ({
  key: 'DeletionCandidateOfClusterAutoscaler',
  value,
  effect: 'PreferNoSchedule',
});
const shared = (value: string, effect: string): Taint => ({
  key: 'node-lifecycle.kubernetes.io/disruption',
  value,
  effect,
});
const hard: Taint = { key: 'ToBeDeletedByClusterAutoscaler', value: '1', effect: 'NoSchedule' };
const bearing = (name: string, ...taints: readonly Taint[]): Node => node(name, {}, { taints });

const changes = (
  nodes: readonly Node[],
  unneeded: readonly string[],
  given: Partial<Options> = {},
): readonly string[] =>
  softTaintChanges(nodes, Object.fromEntries(unneeded.map((name, n) => [nodeName(name), epochMs(SINCE + n * 1_000)])), {
    ...defaultOptions(),
    ...given,
  }).map(({ node: name, change: { addTaints, removeTaints } }) =>
    [
      name,
      ...removeTaints.map(({ key, effect }) => `-${key}:${effect}`),
      ...addTaints.map(({ key, value, effect }) => `+${key}=${value}:${effect}`),
    ].join(' '),
  );

describe('soft taints', () => {
  it.each<[string, readonly Node[], readonly string[], Partial<Options>, readonly string[]]>([
    ['stay off needed nodes', [bearing('a')], [], {}, []],
    [
      'come on an unneeded node, with the time since when',
      [bearing('a')],
      ['a'],
      {},
      ['a +DeletionCandidateOfClusterAutoscaler=1767268800:PreferNoSchedule'],
    ],
    ['stay as they are, whatever their time', [bearing('a', soft('7'))], ['a'], {}, []],
    [
      'come off a node that is needed again',
      [bearing('a', soft())],
      [],
      {},
      ['a -DeletionCandidateOfClusterAutoscaler:PreferNoSchedule'],
    ],
    ['of nodes that are being removed stay', [bearing('a', soft(), hard)], [], {}, []],
    ['do not come on nodes that are being removed', [bearing('a', hard)], ['a'], {}, []],
    [
      'do not come on nodes that are being removed with the shared taint',
      [bearing('a', shared('disrupting', 'NoSchedule'))],
      ['a'],
      { nodeLifecycleTaints: true },
      [],
    ],
    [
      'are the shared ones by option',
      [bearing('a')],
      ['a'],
      { nodeLifecycleTaints: true },
      ['a +node-lifecycle.kubernetes.io/disruption=candidate:PreferNoSchedule'],
    ],
    [
      'change over with the option, at once',
      [bearing('a', soft())],
      ['a'],
      { nodeLifecycleTaints: true },
      [
        'a -DeletionCandidateOfClusterAutoscaler:PreferNoSchedule +node-lifecycle.kubernetes.io/disruption=candidate:PreferNoSchedule',
      ],
    ],
    [
      'and back',
      [bearing('a', shared('candidate', 'PreferNoSchedule'))],
      ['a'],
      {},
      [
        'a -node-lifecycle.kubernetes.io/disruption:PreferNoSchedule +DeletionCandidateOfClusterAutoscaler=1767268800:PreferNoSchedule',
      ],
    ],
    [
      'all come off where scale-down is disabled',
      [bearing('a', soft()), bearing('b')],
      ['a', 'b'],
      { scaleDownEnabled: false },
      ['a -DeletionCandidateOfClusterAutoscaler:PreferNoSchedule'],
    ],
    [
      'all come off, and none comes on, when there are to be none',
      [bearing('a', soft()), bearing('b'), bearing('c', shared('candidate', 'PreferNoSchedule'))],
      ['a', 'b'],
      { maxBulkSoftTaintCount: 0 },
      [
        'a -DeletionCandidateOfClusterAutoscaler:PreferNoSchedule',
        'c -node-lifecycle.kubernetes.io/disruption:PreferNoSchedule',
      ],
    ],
    [
      'come off first, then on where nodes have been unneeded longest, no more than allowed',
      [bearing('a'), bearing('b'), bearing('c', soft()), bearing('d')],
      ['d', 'b', 'a'],
      { maxBulkSoftTaintCount: 3 },
      [
        'c -DeletionCandidateOfClusterAutoscaler:PreferNoSchedule',
        'd +DeletionCandidateOfClusterAutoscaler=1767268800:PreferNoSchedule',
        'b +DeletionCandidateOfClusterAutoscaler=1767268801:PreferNoSchedule',
      ],
    ],
  ])('%s', (_, nodes, unneeded, options, expected) => {
    expect(changes(nodes, unneeded, options)).toEqual(expected);
    expect(changes(nodes.toReversed(), unneeded, options)).toEqual(expected);
  });

  describe('that are shared have an annotation beside them, which says since when', () => {
    const SINCE_KEY = 'outrigger.dev/unneeded-since';
    const candidate = shared('candidate', 'PreferNoSchedule');
    const annotated = (value: string, ...taints: readonly Taint[]): Node => ({
      ...bearing('a', ...taints),
      annotations: { [SINCE_KEY]: value },
    });
    it.each<[string, Node, readonly string[], boolean, readonly (string | null | undefined)[]]>([
      ['comes with the taint', bearing('a'), ['a'], true, ['1767268800']],
      ['is added where it is missing', bearing('a', candidate), ['a'], true, ['1767268800']],
      ['stays as it is', annotated('7', candidate), ['a'], true, []],
      ['is new where the taint has gone meanwhile', annotated('7'), ['a'], true, ['1767268800']],
      ['goes with the taint', annotated('7', candidate), [], true, [null]],
      ['goes where only it is left', annotated('7'), [], true, [null]],
      ['goes where the taint changes over', annotated('7', candidate), ['a'], false, [null]],
      ['does not come beside a taint that has the time', bearing('a'), ['a'], false, [undefined]],
    ])('%s', (_, of, unneeded, nodeLifecycleTaints, expected) => {
      const since = Object.fromEntries(unneeded.map((name) => [nodeName(name), SINCE]));
      const options = { ...defaultOptions(), nodeLifecycleTaints };
      const found = softTaintChanges([of], since, options);
      expect(found.map(({ change }) => change.annotations[SINCE_KEY])).toEqual(expected);
    });
  });

  it('come off ten at a time when there are to be none', () => {
    const left = Array.from({ length: 25 }, (_, n) => bearing(`node-${n}`, soft()));
    expect(changes(left, [], { maxBulkSoftTaintCount: 0 })).toHaveLength(10);
  });

  it('are ten in one evaluation', () => {
    const names = Array.from({ length: 25 }, (_, n) => `node-${n}`);
    expect(
      changes(
        names.map((name) => bearing(name)),
        names,
      ),
    ).toHaveLength(10);
  });
});
