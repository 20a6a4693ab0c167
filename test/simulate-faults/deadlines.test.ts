import { expect, test } from 'vitest';
import { epochMs, minutes, seconds } from '../../core/model/values/time.ts';
import { isAtItsEnd, isToBeReplaced } from './deadlines.ts';

type Call = Parameters<typeof isToBeReplaced>;

const isReplaced = (what: string, rebalanceRecommendation: string): boolean =>
  isToBeReplaced(
    {
      announcements: { of: (instance: string) => (instance === 'i-1' ? [{ what }] : []) },
      scenario: { options: { rebalanceRecommendation } },
    } as unknown as Call[0],
    'i-1' as Call[1],
  );

test('an instance is to be replaced that the cloud recommends to replace, where the options want it', () => {
  expect(isReplaced('RebalanceRecommendation', 'replace')).toBe(true);
  expect(isReplaced('RebalanceRecommendation', 'cordon')).toBe(false);
  expect(isReplaced('SpotInterruption', 'replace')).toBe(false);
});

test.each([
  { what: 'and all clocks are right', skew: 0, before: 2, is: false },
  { what: 'and all clocks are right', skew: 0, before: 1, is: true },
  { what: 'and a clock has been as far off', skew: 94, before: 95, is: true },
  { what: 'and no clock has been as far off', skew: 94, before: 96, is: false },
  { what: 'and a clock was as far off long ago', skew: 94, ago: 8, before: 95, is: false },
])('$before s before the end that is announced, $what: an instance is at its end is $is', (row) => {
  const { skew, ago = 0, before, is } = row;
  const [announced, ends] = [epochMs(minutes(60)), epochMs(minutes(62))];
  const stage = {
    announcements: { of: () => [{ what: 'SpotInterruption', time: announced, endsAt: ends }] },
    strikes: {
      last: () => (skew === 0 ? Number.NEGATIVE_INFINITY : announced - minutes(ago)),
      furthestSkew: () => seconds(skew),
    },
  } as unknown as Parameters<typeof isAtItsEnd>[0];
  expect(isAtItsEnd(stage, 'i-1' as Call[1], epochMs(ends - seconds(before)))).toBe(is);
});
