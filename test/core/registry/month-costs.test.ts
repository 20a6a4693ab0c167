import { describe, expect, test } from 'vitest';
import type { MonthCost } from '../../../core/model/month-cost.ts';
import type { NodeGroup } from '../../../core/model/node-group.ts';
import type { Scenario } from '../../../core/model/scenario.ts';
import { durationMs, type EpochMs, epochMs, minutes } from '../../../core/model/values/time.ts';
import { costsUntil, monthCostsAfter, rateOf } from '../../../core/registry/month-costs.ts';
import { group, running, scenario, times } from '../../scenario-builders.ts';

const at = (month: number, day: number, hour = 0, minute = 0): EpochMs =>
  epochMs(Date.UTC(2026, month - 1, day, hour, minute));

const NOVEMBER = at(11, 1);

const cost = (given: Partial<MonthCost> = {}): MonthCost => ({
  month: NOVEMBER,
  usd: 0,
  hours: 0,
  unpricedHours: 0,
  at: NOVEMBER,
  usdPerHour: 0.7682,
  unpriced: 0,
  ...given,
});

const priced = (name: string, price: number | null, count: number): NodeGroup => ({
  ...group(name, { instances: times(count, (i) => running(`i-${name}-${i}`, null)), target: count }),
  price,
});

/** An evaluation, the last one being some minutes ago. */
const evaluated = (
  now: EpochMs,
  nodeGroups: readonly NodeGroup[],
  monthCosts?: readonly MonthCost[],
  minutesAgo = 5,
): Scenario => {
  const given = scenario({
    groups: nodeGroups,
    state: { monthCosts, lastEvaluation: epochMs(now - minutes(minutesAgo)) },
  });
  return { ...given, now };
};

describe('the rate', () => {
  test('is that of the instances that exist, and has the number of nodes without a price beside it', () => {
    const groups = [priced('a', 0.1921, 3), priced('b', 0.0713, 2), priced('c', null, 4)];
    expect(rateOf(groups)).toEqual({ usdPerHour: 0.7189, unpriced: 4 });
  });

  test('has no instances that are asked for in vain, or end', () => {
    const one = priced('a', 0.1921, 2);
    const [first, second] = one.instances;
    const ending = { ...one, targetSize: 9, instances: [first!, { ...second!, state: 'Deleting' as const }] };
    expect(rateOf([ending])).toEqual({ usdPerHour: 0.1921, unpriced: 0 });
  });
});

describe('an evaluation', () => {
  test('begins the sums with the first price, and before that keeps none', () => {
    expect(monthCostsAfter(evaluated(at(11, 3, 7), [priced('a', null, 3)]))).toBeUndefined();
    expect(monthCostsAfter(evaluated(at(11, 3, 7), [priced('a', 0.1921, 3)]))).toEqual([
      cost({ at: at(11, 3, 7), usdPerHour: 0.5763 }),
    ]);
  });

  test('leaves the sums as they are where the rate is the same, for an idle cluster writes nothing', () => {
    const before = [cost({ at: at(11, 3), usdPerHour: 0.5763 })];
    expect(monthCostsAfter(evaluated(at(11, 28), [priced('a', 0.1921, 3)], before))).toBe(before);
  });

  test('adds the time at the rate before when the rate changes', () => {
    const before = [cost({ at: at(11, 3), usd: 10, hours: 17, usdPerHour: 0.5763 })];
    const after = monthCostsAfter(evaluated(at(11, 3, 1, 30), [priced('a', 0.1921, 5), priced('b', null, 1)], before));
    expect(after).toEqual([
      cost({ at: at(11, 3, 1, 30), usd: 10.86445, hours: 18.5, usdPerHour: 0.9605, unpriced: 1 }),
    ]);
  });

  test('does not count the time in which none was made', () => {
    const before = [cost({ at: at(11, 3), usdPerHour: 0.5763 })];
    const [after, ...others] = monthCostsAfter(evaluated(at(11, 5), [priced('a', 0.1921, 3)], before, 24 * 60))!;
    expect(others).toEqual([]);
    // A day, and the interval of evaluations of an idle cluster with five minutes more.
    expect(after!.hours).toBeCloseTo(24 + 10 / 60, 5);
    expect(after!.usd).toBeCloseTo(0.5763 * (24 + 10 / 60), 5);
    expect(after!.at).toBe(at(11, 5));
  });
});

test.each([
  { what: 'an hour', now: at(11, 3, 1) },
  { what: 'the month before', now: at(10, 31, 23, 59) },
])('a clock that was ahead and is back in $what counts no time twice', ({ now }) => {
  const before = [cost({ month: at(10, 1), at: NOVEMBER, usd: 300 }), cost({ at: at(11, 3, 2), usd: 10, hours: 50 })];
  const groups = [priced('a', 0.1921, 5)];
  const costs = monthCostsAfter(evaluated(now, groups, before))!;
  expect(costs).toEqual([before[0], { ...before[1], usdPerHour: 0.9605 }]);
});

describe('a month', () => {
  test('ends by UTC, and the rate goes on', () => {
    expect(costsUntil([cost({ at: at(11, 30, 22) })], at(12, 1, 3))).toEqual([
      cost({ at: at(12, 1), usd: 1.5364, hours: 2 }),
      cost({ month: at(12, 1), at: at(12, 1, 3), usd: 2.3046, hours: 3 }),
    ]);
  });

  test('of which nothing was written is known all the same, and two are remembered', () => {
    const costs = costsUntil([cost({ at: at(11, 30) })], at(14, 2));
    expect(costs.map(({ month, hours }) => [month, hours])).toEqual([
      [at(13, 1), 31 * 24],
      [at(14, 1), 24],
    ]);
  });

  test('is the sum of its parts, however often the rate changes', () => {
    let costs: readonly MonthCost[] = [cost({ usdPerHour: 0 })];
    let whole = 0;
    for (let minute = 0; minute < 30 * 24 * 60; minute += 7) {
      const now = epochMs(NOVEMBER + minutes(minute));
      const nodes = 3 + (minute % 11);
      costs = monthCostsAfter(evaluated(now, [priced('a', 0.1921, nodes), priced('b', 0.0713, 3)], costs))!;
      const left = durationMs(Math.min(minutes(7), at(12, 1) - now));
      whole += (0.1921 * nodes + 0.0713 * 3) * (left / minutes(60));
    }
    const [november] = costsUntil(costs, at(12, 1));
    expect(Math.abs(november!.usd / whole - 1)).toBeLessThan(0.001);
    expect(november!.hours).toBeCloseTo(30 * 24, 2);
  });

  test('costs nothing for clocks that are apart', () => {
    const before = [cost({ at: at(11, 3, 0, 1), usd: 4 })];
    expect(costsUntil(before, at(11, 3))).toEqual(before);
  });
});
