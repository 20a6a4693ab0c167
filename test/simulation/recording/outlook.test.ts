import { describe, expect, test } from 'vitest';
import type { Decision, Removal, Unremovable } from '../../../core/model/decision.ts';
import { evaluate } from '../../../core/evaluate.ts';
import type { GroupName, NodeName } from '../../../core/model/values/names.ts';
import { addTime, minutes } from '../../../core/model/values/time.ts';
import { createOutlook } from '../../../simulation/recording/outlook.ts';
import { NOW, scenario } from '../../scenario-builders.ts';

const node = (name: string) => name as NodeName;

function decision(
  unneeded: readonly string[],
  unremovable: readonly Unremovable[] = [],
  removals: readonly Removal[] = [],
) {
  const quiet = evaluate(scenario({}));
  return {
    ...quiet,
    scaleDown: { ...quiet.scaleDown, unneeded: unneeded.map(node), unremovable, removals },
  } satisfies Decision;
}

const early: Unremovable = { node: node('a'), reason: 'NotUnneededLongEnough' };
const blocked: Unremovable = { node: node('a'), reason: 'BlockedByPod', podReason: 'NotReplicated' };
const again: Unremovable = { node: node('a'), reason: 'RecentlyUnremovable' };
const removal: Removal = { node: node('a'), group: 'web' as GroupName, kind: 'empty', pods: [], destinations: [] };
const later = (by: number) => addTime(NOW, minutes(by));

describe('what is told', () => {
  test('nothing as long as nothing is out of the ordinary', () => {
    const busy: Unremovable = { node: node('a'), reason: 'NotUnderutilized' };
    expect(createOutlook().take(decision([], [busy]), NOW)).toBeNull();
  });

  test('a node that is unneeded, once; and when it goes', () => {
    const outlook = createOutlook();
    expect(outlook.take(decision(['a'], [early]), NOW)).toMatchObject({ unneeded: ['a'], removals: [] });
    expect(outlook.take(decision(['a'], [early]), later(1))).toBeNull();
    expect(outlook.take(decision(['a'], [], [removal]), later(11))).toMatchObject({ removals: [removal] });
  });

  test('a removal that is decided again at once is told once; one that is decided later is told again', () => {
    const outlook = createOutlook();
    expect(outlook.take(decision([], [], [removal]), NOW)).toMatchObject({ removals: [removal] });
    expect(outlook.take(decision([], [], [removal]), NOW)).toBeNull();
    expect(outlook.take(decision([]), later(1))).toBeNull();
    expect(outlook.take(decision([], [], [removal]), later(2))).toMatchObject({ removals: [removal] });
  });

  test('why a node stays is known while it is not tried again', () => {
    const outlook = createOutlook();
    expect(outlook.take(decision([], [blocked]), NOW)).toMatchObject({ staying: [blocked] });
    expect(outlook.take(decision([], [again]), later(1))).toBeNull();
    expect(outlook.staying()).toEqual([blocked]);
    outlook.take(decision([]), later(2));
    expect(outlook.staying()).toEqual([]);
  });
});

describe('whether another node might go', () => {
  test.each([
    ['there was no evaluation yet', [], true],
    ['nothing is unneeded', [[0, decision([])]], false],
    ['a node is unneeded', [[0, decision(['a'], [early])]], true],
    [
      'an unneeded node stays for good',
      [[0, decision(['a'], [{ node: node('a'), reason: 'MinimalResourceLimitExceeded' }])]],
      false,
    ],
    [
      'a node stays, and was tried since',
      [
        [0, decision([], [blocked])],
        [1, decision([], [again])],
      ],
      false,
    ],
    [
      'a node was tried before the last change, and not since',
      [
        [-2, decision([], [blocked])],
        [1, decision([], [again])],
      ],
      true,
    ],
    ['the last evaluation was before the last change', [[-1.5, decision([])]], true],
  ] as const)('%s', (_what, snapshots, open) => {
    const outlook = createOutlook();
    for (const [at, seen] of snapshots) {
      outlook.take(seen, later(at));
    }
    expect(outlook.isOpen(later(-1))).toBe(open);
  });
});
