import { describe, expect, test } from 'vitest';
import { MOST_REMEMBERED, movesLeft, withMoves } from '../../../../core/disruption/cost-benefit/moves-left.ts';
import type { Options } from '../../../../core/model/options.ts';
import type { ConsolidationMoves } from '../../../../core/model/state.ts';
import { pod } from '../../../builders.ts';
import { NOW, scenario, times } from '../../../scenario-builders.ts';
import { ago } from '../../scaledown/cluster.ts';

const WEB = 'default/ReplicaSet/uid-ReplicaSet/web';

const of = (name: string, created: number, owner = 'ReplicaSet/web') => ({
  ...pod(name, { owner, node: 'n' }),
  createdAt: ago(created),
});

const moved = (first: number, last: number, pods = 1, controller = WEB): ConsolidationMoves => ({
  controller,
  first: ago(first),
  last: ago(last),
  pods,
});

const left = (remembered: readonly ConsolidationMoves[], options: Partial<Options> = {}, waiting = 0) =>
  movesLeft(
    scenario({ pods: times(4, (i) => of(`p${i}`, 9_999)), state: { consolidationMoves: remembered }, options }),
    waiting,
  );

describe('moves that are left', () => {
  const cases: readonly (readonly [string, readonly ConsolidationMoves[], number, string | null])[] = [
    ['nothing was moved', [], 1, null],
    ['it was there before the move', [moved(50, 50)], 51, null],
    ['it came with the move', [moved(50, 50)], 50, 'within the last hour'],
    ['it came later, for one that came with the move and was evicted', [moved(50, 50)], 3, 'within the last hour'],
    ['the eviction may be less than an hour ago', [moved(74, 74)], 70, 'within the last hour'],
    ['the eviction is an hour ago, however late it was', [moved(75, 75)], 59, null],
    ['of several moves one is not', [moved(80, 58)], 57, 'within the last hour'],
    ['another controller was moved', [moved(50, 50, 1, 'default/ReplicaSet/other')], 50, null],
    ['each was moved three times', [moved(300, 290, 15)], 9_999, null],
    ['each was moved four times', [moved(300, 290, 16)], 9_999, 'consolidationMaxMovesPerPod'],
    ['each was moved four times, a day ago', [moved(1_450, 1_440, 16)], 9_999, null],
  ];
  test.each(cases)('%s', (_, remembered, created, expected) => {
    const objection = left(remembered).blockedBy([of('p', created)]);
    expect(expected === null ? objection : objection?.includes(expected)).toBe(expected === null ? null : true);
  });

  test('the limit of the day counts commands that wait, and what is taken', () => {
    const options = { consolidationMaxMovesPerDay: 5, consolidationMaxMovesPerPod: 0 };
    const some = left([moved(300, 290, 2)], options, 1);
    expect(some.blockedBy([of('a', 999), of('b', 999)])).toBeNull();
    expect(some.blockedBy([of('a', 999), of('b', 999), of('c', 999)])).toContain('consolidationMaxMovesPerDay 5');
    some.countMoved([of('a', 999), of('b', 999)]);
    expect(some.blockedBy([of('c', 999)])).toContain('consolidationMaxMovesPerDay 5');
  });

  test('none where more is remembered than is kept count of', () => {
    const many = times(MOST_REMEMBERED, (i) => moved(300, 290, 1, `x${i}`));
    expect(left(many).blockedBy([of('p', 9_999)])).toContain('too many controllers');
    expect(left(many.slice(1)).blockedBy([of('p', 9_999)])).toBeNull();
  });
});

describe('moves that are remembered', () => {
  const remembered = (before: readonly ConsolidationMoves[] | undefined, pods: number) =>
    withMoves(
      { consolidationMoves: before },
      times(pods, (i) => of(`p${i}`, 9)),
      NOW,
    ).consolidationMoves;

  test('by controller and hour by the clock', () => {
    expect(remembered(undefined, 2)).toEqual([moved(0, 0, 2)]);
    expect(remembered([moved(0, 0, 2)], 1)).toEqual([moved(0, 0, 3)]);
    expect(remembered([moved(30, 30, 2)], 1)).toEqual([moved(30, 30, 2), moved(0, 0, 1)]);
  });

  test('for a day', () => {
    expect(remembered([moved(1_441, 1_440)], 0)).toBeUndefined();
    expect(remembered([moved(1_439, 1_439)], 0)).toEqual([moved(1_439, 1_439)]);
  });

  test('a state without any stays as it is', () => {
    const state: { readonly consolidationMoves?: undefined } = {};
    expect(withMoves(state, [], NOW)).toBe(state);
  });
});
