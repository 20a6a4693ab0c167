import { expect, test } from 'vitest';
import { judgeLayouts, pairedSaving } from '../../../cli/advise/judge.ts';
import type { FoundLayout } from '../../../cli/advise/search.ts';
import type { BacktestFigures } from '../../../cli/backtest/figures.ts';
import type { Pool } from '../../../cli/advise/pools.ts';

const costing = (usd: number): BacktestFigures => ({
  usd,
  nodeHours: usd,
  cpuHours: usd,
  nodesLaunched: 0,
  nodesGone: 0,
  nodesMost: 1,
  waited: 0,
  waits: null,
  evictions: 0,
  evictionsOfJobs: 0,
  lostCoreHours: 0,
});
const pool: Pool = { groups: [], types: ['m5.large'] };
const layoutOf = (type: string): FoundLayout => ({ layout: [{ pool, types: [type] }], estimatedSaving: 0.1 });

/** Costs by type and seed; the last one holds for further seeds. */
const COSTS: Readonly<Record<string, readonly number[]>> = {
  today: [100, 100, 110],
  lucky: [70, 100, 110],
  good: [80, 90, 99],
  dear: [101, 50, 50],
  third: [90, 95, 104.5],
};

async function judged(most: number) {
  const asked: string[] = [];
  const judgement = await judgeLayouts(
    ['dear', 'third', 'good', 'lucky'].map(layoutOf),
    [1, 2, 3],
    most,
    async (simulations) =>
      simulations.map(({ layout, seed }) => {
        const type = layout[0]?.types[0] ?? 'today';
        asked.push(`${type} ${seed}`);
        return costing(COSTS[type]![seed - 1]!);
      }),
  );
  return { asked, ...judgement };
}

test('layouts that are cheaper with the first seed are judged by the others alone', async () => {
  const { asked, layouts, today } = await judged(2);
  expect(asked.join(' ')).toBe('today 1 dear 1 third 1 good 1 lucky 1 today 2 lucky 2 good 2 today 3 lucky 3 good 3');
  expect(today.map(({ usd }) => usd)).toEqual([100, 110]);
  expect(layouts.map(({ layout, saving }) => [layout[0]!.types[0], saving.mean.toFixed(3)])).toEqual([
    ['good', '0.100'],
    ['lucky', '0.000'],
  ]);
});

test('a layout that is dearer with the first seed is not judged, however cheap it is with others', async () => {
  const { layouts } = await judged(4);
  expect(layouts.map(({ layout }) => layout[0]!.types[0])).toEqual(['good', 'third', 'lucky']);
});

test("the interval of a saving is Student's over pairs of equal seeds", () => {
  const today = [100, 200, 100].map(costing);
  const { mean, low, high } = pairedSaving([90, 170, 80].map(costing), today);
  // Savings of 10, 15 and 20 %: a deviation of 5 %, and t = 4.303 with two degrees of freedom.
  expect(mean).toBeCloseTo(0.15, 9);
  expect(high - mean).toBeCloseTo((4.303 * 0.05) / Math.sqrt(3), 9);
  expect(mean - low).toBeCloseTo(high - mean, 9);
});
