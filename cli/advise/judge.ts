import { itemAt } from '@outrigger/core/model/values/existing.ts';
import type { ProviderName } from '@outrigger/core/model/provider.ts';
import type { BacktestFigures } from '../backtest/figures.ts';
import type { HistoryLoad } from '../backtest/load-of.ts';
import { play } from '../backtest/play.ts';
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

/** Simulates a layout. */
export type Simulate = (simulation: LayoutSimulation) => Promise<BacktestFigures>;

/** @param onTime told the virtual time again and again, in seconds from the start. */
export const simulationOf =
  (
    { load, fixed }: HistoryLoad,
    provider: ProviderName,
    onTime: (of: LayoutSimulation, seconds: number) => void,
  ): Simulate =>
  async (simulation) => {
    const of = { ...withLayout(load, simulation.layout), seed: simulation.seed };
    const { figures } = await play({ load: of, fixed }, provider, (seconds) => onTime(simulation, seconds));
    return figures;
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
  simulate: Simulate,
): Promise<Judgement> {
  const costOf = async (layout: Layout): Promise<number> => (await simulate({ layout, seed: first })).usd ?? 0;
  const before = await costOf([]);
  const costs = new Map<FoundLayout, number>();
  for (const one of found) {
    costs.set(one, await costOf(one.layout));
  }
  const cheaper = [...costs]
    .filter(([, cost]) => cost < before)
    .toSorted(([, a], [, b]) => a - b)
    .slice(0, most);
  const today: BacktestFigures[] = [];
  const judged = cheaper.map(([one]) => ({ ...one, runs: [] as BacktestFigures[] }));
  for (const seed of others) {
    today.push(await simulate({ layout: [], seed }));
    for (const one of judged) {
      one.runs.push(await simulate({ layout: one.layout, seed }));
    }
  }
  const layouts = judged.map((one): JudgedLayout => ({ ...one, saving: pairedSaving(one.runs, today) }));
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
