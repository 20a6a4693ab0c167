import { itemAt } from '@outrigger/core/model/values/existing.ts';
import type { ProviderName } from '@outrigger/core/model/provider.ts';
import type { BacktestFigures } from '../backtest/figures.ts';
import type { HistoryLoad } from '../backtest/load-of.ts';
import { playAll } from '../backtest/play.ts';
import { withLayout, type Layout } from './layouts.ts';
import type { FoundLayout } from './search.ts';

/** A saving as a part of the cost: 0.1 is 10 %. Between `low` and `high` with a probability of 95 %. */
export interface Saving {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/** A layout that was cheaper in a first simulation, and its further ones. */
export interface JudgedLayout extends FoundLayout {
  readonly runs: readonly BacktestFigures[];
  /** In comparison with simulations of the same seeds on the node groups as they are. */
  readonly saving: Saving;
}

/** Simulations of layouts, beside those of the node groups as they are. */
export interface Judgement {
  readonly today: readonly BacktestFigures[];
  /** The one that saves most comes first. */
  readonly layouts: readonly JudgedLayout[];
}

/** A layout to simulate; without changes, the node groups as they are. */
export interface LayoutSimulation {
  readonly layout: Layout;
  readonly seed: number;
}

/** Simulates layouts, and returns the figures in the same order. */
export type SimulateAll = (simulations: readonly LayoutSimulation[]) => Promise<readonly BacktestFigures[]>;

/** @param onTime told the virtual time again and again, in seconds from the start. */
export const simulationsOf =
  (
    { load, fixed }: HistoryLoad,
    provider: ProviderName,
    onTime: (of: LayoutSimulation, seconds: number) => void,
  ): SimulateAll =>
  async (simulations) => {
    const loads = simulations.map(({ layout, seed }) => ({ load: { ...withLayout(load, layout), seed }, fixed }));
    const runs = await playAll(loads, provider, (index, seconds) => onTime(itemAt(simulations, index), seconds));
    return runs.map(({ figures }) => figures);
  };

/**
 * Simulates each layout with the first seed, and the best ones of those that are cheaper with the others. What a layout saves is told
 * by the others alone: among many layouts, the first seed favors one by chance.
 *
 * @param most the number of layouts to judge
 */
export async function judgeLayouts(
  found: readonly FoundLayout[],
  [first = 1, ...others]: readonly number[],
  most: number,
  simulateAll: SimulateAll,
): Promise<Judgement> {
  const withSeed = (layouts: readonly FoundLayout[], seed: number): readonly LayoutSimulation[] =>
    [[], ...layouts.map(({ layout }) => layout)].map((layout) => ({ layout, seed }));
  const [before, ...costs] = (await simulateAll(withSeed(found, first))).map(({ usd }) => usd ?? 0);
  const cheaper = found
    .map((one, index) => ({ one, cost: itemAt(costs, index) }))
    .filter(({ cost }) => cost < (before ?? 0))
    .toSorted((a, b) => a.cost - b.cost)
    .slice(0, most)
    .map(({ one }) => one);
  const runs = await simulateAll(others.flatMap((seed) => withSeed(cheaper, seed)));
  const runsOf = (index: number): readonly BacktestFigures[] =>
    runs.filter((_, run) => run % (cheaper.length + 1) === index);
  const today = runsOf(0);
  const layouts = cheaper.map((one, index): JudgedLayout => {
    const own = runsOf(index + 1);
    return { ...one, runs: own, saving: pairedSaving(own, today) };
  });
  return { today, layouts: layouts.toSorted((a, b) => b.saving.mean - a.saving.mean) };
}

/** Student's t for 95 %, by degrees of freedom from 1 on. */
const T = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262];

/** The saving over pairs of runs of the same seeds: two at least. */
export function pairedSaving(layout: readonly BacktestFigures[], today: readonly BacktestFigures[]): Saving {
  const savings = layout.map(({ usd }, index) => 1 - (usd ?? 0) / (today[index]?.usd ?? 1));
  const middle = mean(savings);
  const variance = savings.reduce((sum, saving) => sum + (saving - middle) ** 2, 0) / (savings.length - 1);
  const half = itemAt(T, savings.length - 2) * Math.sqrt(variance / savings.length);
  return { mean: middle, low: middle - half, high: middle + half };
}

/** The mean of numbers; 0 of none. */
export const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
