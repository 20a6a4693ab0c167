import { describe, expect, test } from 'vitest';
import { groupName, nodeName } from '../../../core/model/values/names.ts';
import { defaultOptions } from '../../../core/model/options.ts';
import { EMPTY_STATE } from '../../../core/model/state.ts';
import { withinDeletionLimits } from '../../../core/scaledown/deletion-limits.ts';
import { NOW, times } from '../../scenario-builders.ts';

/** `e`: empty, `d`: to be drained; a capital letter before the colon: of a group that goes as a whole. */
const nodesOf = (text: string) =>
  text
    .split(' ')
    .filter((part) => part !== '')
    .flatMap((part) => {
      const [group, kinds] = part.split(':') as [string, string];
      return kinds.split('').map((kind, i) => ({
        name: `${group}${i}`,
        group: groupName(group),
        empty: kind === 'e',
        atomic: group === group.toUpperCase(),
      }));
    });

/** The same letters: what is in progress. */
const stateOf = (inProgress: string) => ({
  ...EMPTY_STATE,
  deletionsInProgress: inProgress.split('').map((kind, i) => ({
    node: nodeName(`leaving-${i}`),
    group: groupName('other'),
    kind: kind === 'e' ? ('empty' as const) : ('drain' as const),
    since: NOW,
  })),
});

describe('how many go at a time (scaledown/budgets)', () => {
  // Limit of all, limit of drains, in progress, candidates → chosen.
  test.each<readonly [all: number, drains: number, inProgress: string, nodes: string, chosen: string]>([
    [10, 5, '', '', ''],
    [10, 5, '', 'a:eed', 'a0 a1 a2'],
    [3, 5, '', 'a:eeee', 'a0 a1 a2'],
    [3, 2, '', 'a:dee', 'a0 a1 a2'],
    [2, 2, '', 'a:dee', 'a1 a2'],
    [10, 2, '', 'a:dddd', 'a0 a1'],
    [10, 2, 'd', 'a:dddd', 'a0'],
    [10, 2, 'dd', 'a:ddee', 'a2 a3'],
    [10, 2, 'ddd', 'a:dd', ''],
    [4, 5, 'eed', 'a:eed', 'a0'],
    [4, 5, 'eedd', 'a:eed', ''],
    [4, 5, 'eeddd', 'a:eed', ''],
    [0, 5, '', 'a:ed', ''],
    [10, 0, '', 'a:ed', 'a0'],
    [4, 4, '', 'a:ee b:dd', 'a0 a1 b0 b1'],
    // Groups that go as a whole come first.
    [4, 5, '', 'a:ee B:ee', 'a0 a1 B0 B1'],
    [3, 5, '', 'a:ee B:ee', 'a0 B0 B1'],
    [3, 5, '', 'A:ee B:ee', 'A0 A1'],
    [4, 5, '', 'A:ee B:ee', 'A0 A1 B0 B1'],
    // A single node may exceed the limits, but no second node with it.
    [2, 5, '', 'A:eeee', 'A0 A1 A2 A3'],
    [2, 5, '', 'a:e A:eeee B:ee', 'A0 A1 A2 A3'],
    [2, 5, 'e', 'A:eeee', 'A0 A1 A2 A3'],
    [2, 5, 'ee', 'A:eeee', ''],
    [2, 5, 'eee', 'A:eeee', ''],
    [10, 1, '', 'A:ddd', 'A0 A1 A2'],
    [10, 1, 'd', 'A:ddd', ''],
    [10, 1, 'd', 'A:eee', 'A0 A1 A2'],
    [10, 1, 'd', 'A:eed', ''],
    [10, 5, '', 'A:dd B:ee a:d', 'A0 A1 B0 B1 a0'],
  ])('%i at a time, %i drains; in progress "%s": "%s" → "%s"', (all, drains, inProgress, nodes, chosen) => {
    const options = { ...defaultOptions(), maxScaleDownParallelism: all, maxDrainParallelism: drains };
    const names = withinDeletionLimits(nodesOf(nodes), options, stateOf(inProgress)).map(({ name }) => name);
    expect(names.join(' ')).toBe(chosen);
  });

  test('by default ten at a time, five of them drained', () => {
    const nodes = nodesOf(`a:${times(20, () => 'd').join('')}${times(20, () => 'e').join('')}`);
    const chosen = withinDeletionLimits(nodes, defaultOptions(), EMPTY_STATE);
    expect(chosen.map(({ empty }) => empty)).toEqual(times(10, () => true));
    expect(withinDeletionLimits(nodes.slice(0, 20), defaultOptions(), EMPTY_STATE)).toHaveLength(5);
    expect(withinDeletionLimits(nodes.slice(0, 20), defaultOptions('cluster-autoscaler'), EMPTY_STATE)).toHaveLength(1);
  });
});
