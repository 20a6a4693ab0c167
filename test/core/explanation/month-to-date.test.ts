import { expect, test } from 'vitest';
import { monthToDate } from '../../../core/explanation/month-to-date.ts';
import { costText } from '../../../core/explanation/sentences.ts';
import type { MonthCost } from '../../../core/model/month-cost.ts';
import { epochMs, minutes } from '../../../core/model/values/time.ts';

const at = (month: number, day: number, hour = 0) => epochMs(Date.UTC(2026, month - 1, day, hour));
const OPTIONS = { idleEvaluationInterval: minutes(5) };

const cost = (given: Partial<MonthCost> = {}): MonthCost => ({
  month: at(11, 1),
  usd: 0,
  hours: 0,
  unpricedHours: 0,
  at: at(11, 1),
  usdPerHour: 0.7682,
  unpriced: 0,
  ...given,
});

/** Evaluated now. */
const told = (now: number, ...monthCosts: readonly MonthCost[]) =>
  monthToDate({ monthCosts, lastEvaluation: epochMs(now), lastScaleUpEvaluation: undefined }, OPTIONS, epochMs(now));

test('the month to date has the time since the last change of the rate', () => {
  expect(told(at(11, 11), cost({ usd: 100, hours: 200, at: at(11, 9, 8) }))).toMatchObject({
    usd: 130.728,
    usdPerHour: 0.7682,
    hours: 240,
    knownHours: 240,
  });
});

test('the forecast takes the other hours of the month at the mean of the known ones', () => {
  const month = told(at(11, 11), cost({ usd: 100, hours: 200, at: at(11, 9, 8) }))!;
  expect(month.meanUsdPerHour).toBeCloseTo(130.728 / 240, 6);
  expect(month.forecast).toBeCloseTo(130.728 * 3, 4);
});

test('in its first week, the month before counts in the mean', () => {
  const october = cost({ month: at(10, 1), at: at(11, 1), usd: 700, hours: 744 });
  const month = told(at(11, 2), october, cost({ usdPerHour: 2.25 }))!;
  expect(month.usd).toBeCloseTo(54, 6);
  expect(month.forecast).toBeCloseTo(54 + 29 * 24 * (754 / 768), 2);
});

test('of hours without evaluations the cost is not known', () => {
  const now = at(11, 21);
  const monthCosts = [cost({ at: at(11, 16), usdPerHour: 1 })];
  const state = { monthCosts, lastEvaluation: at(11, 18), lastScaleUpEvaluation: undefined };
  const month = monthToDate(state, OPTIONS, now)!;
  expect(month.knownHours).toBeCloseTo(48 + 1 / 6, 5);
  expect(month.forecast).toBeCloseTo(720, 3);
  expect(costText(month)).toBe(
    '1.00 USD per hour; 48.17 USD this month; forecast of the month 720 USD; the cost of 432 of 480 hours is not known',
  );
});

test('nodes without a price are told, and so is a cluster in which none has one', () => {
  const month = told(at(11, 11), cost({ usd: 10, unpricedHours: 7.25, at: at(11, 10, 23), unpriced: 2, hours: 239 }));
  expect(costText(month)).toContain(
    'not counted: 2 nodes without a known price, 9.3 hours this month (state prices by',
  );
  expect(told(at(11, 11))).toBeNull();
  expect(costText(null)).toContain('not known: no node group has a price');
});
