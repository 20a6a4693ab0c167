import { describe, expect, it, test } from 'vitest';
import { monthToDate } from '../../../core/explanation/month-to-date.ts';
import { costText } from '../../../core/explanation/sentences.ts';
import type { MonthCost } from '../../../core/model/month-cost.ts';
import { EMPTY_STATE, type State } from '../../../core/model/state.ts';
import { randomFrom } from '../../../core/model/values/random.ts';
import { addTime, epochMs, minutes } from '../../../core/model/values/time.ts';
import { monthCostsAfter } from '../../../core/registry/month-costs.ts';
import { group, scenario, times } from '../../scenario-builders.ts';

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

describe('the forecast of a month of four drawn weeks', () => {
  const PRICE = 0.192;
  const JANUARY = 31 * 24;
  const HOURLY = { idleEvaluationInterval: minutes(60) };
  const hour = (n: number) => addTime(at(1, 1), minutes(n * 60));

  /** Number of nodes in each hour of January and February: less by night and at weekends, with noise that lasts for hours. */
  function drawnSizes(seed: number): readonly number[] {
    const next = randomFrom(seed);
    const [mean, swing, weekend] = [10 + 40 * next(), 0.3 + 0.5 * next(), 0.4 + 0.6 * next()];
    let noise = 0;
    return times(JANUARY + 28 * 24, (n) => {
      noise = 0.9 * noise + 0.2 * (next() - 0.5);
      const day = 1 + swing * Math.cos((2 * Math.PI * (n - 14)) / 24) + noise;
      const isWeekend = [0, 6].includes(new Date(hour(n)).getUTCDay());
      return Math.max(1, Math.round(mean * day * (isWeekend ? weekend : 1)));
    });
  }

  /** The state of a cluster of these sizes that is evaluated each hour, up to an hour. */
  function stateAfter(sizes: readonly number[], end: number): State {
    let state = EMPTY_STATE;
    for (let n = 0; n < end; n += 1) {
      const web = { ...group('web', { nodes: times(sizes[n]!, (i) => `n-${i}`), max: 500 }), price: PRICE };
      const now = hour(n);
      const monthCosts = monthCostsAfter({ ...scenario({ groups: [web], state, options: HOURLY }), now });
      state = Object.assign({}, state, { monthCosts, lastEvaluation: now });
    }
    return state;
  }

  it.each(times(5, (seed) => seed + 1))('is within 10 %% from the third day on (seed %i)', (seed) => {
    const sizes = drawnSizes(seed);
    const usd = PRICE * sizes.slice(JANUARY).reduce((sum, size) => sum + size, 0);
    for (const day of [3, 8, 15, 22]) {
      const end = JANUARY + (day - 1) * 24;
      const { forecast } = monthToDate(stateAfter(sizes, end), HOURLY, hour(end))!;
      expect(Math.abs(forecast / usd - 1), `on day ${day}`).toBeLessThan(0.1);
    }
  });
});
