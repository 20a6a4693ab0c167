import { HOURS_A_MONTH } from '../../config/list-prices.ts';
import { firstNames } from '@outrigger/core/model/values/clip.ts';
import { itemAt } from '@outrigger/core/model/values/existing.ts';
import { itemsIf } from '@outrigger/core/model/values/optional.ts';
import type { BacktestFigures } from '../backtest/figures.ts';
import type { HistoryLoad } from '../backtest/load-of.ts';
import { simplifiedNote } from '../backtest/workloads.ts';
import { type CoveredPeriod, coveredPeriod } from '../history/coverage.ts';
import type { FoundPeriod } from '../history/find-period.ts';
import { type Judgement, mean, type Saving } from './judge.ts';
import { withLayout } from './layouts.ts';
import type { UnadvisedGroup } from './pools.ts';
import { commitmentText, knownCommitments, unusedCommitments } from './unused-commitments.ts';
import { type WastefulWorkload, wastefulWorkloads } from './unused-room.ts';

/** Means over the runs of a layout. */
export interface RunMeans {
  readonly usd: number;
  /** In 730 hours at the same rate. */
  readonly usdPerMonth: number;
  readonly nodeHours: number;
  readonly nodesMost: number;
  /** Seconds; `null` where no pod waited. */
  readonly waitP95: number | null;
  readonly evictions: number;
}

/** Instance types of a pool of node groups, as they are and as they could be. */
export interface AdvisedChange {
  readonly groups: readonly string[];
  readonly from: readonly string[];
  readonly to: readonly string[];
}

export interface AdvisedLayout extends RunMeans {
  readonly changes: readonly AdvisedChange[];
  readonly estimatedSaving: number;
  readonly saving: Saving;
  /** `saves` and `dearer` with a probability of 97.5 %; `idle`: it saves at list price, and capacity that is paid for in any case is unused. */
  readonly verdict: 'saves' | 'unclear' | 'dearer' | 'idle';
}

/** Advice on instance types, for programs. */
export interface AdviceDocument extends CoveredPeriod {
  readonly seeds: readonly number[];
  /** The node groups as they are, simulated. */
  readonly today: RunMeans;
  /** Layouts whose cost was estimated, and how many of them were simulated. The best of these are in `layouts`. */
  readonly estimated: number;
  readonly simulated: number;
  readonly layouts: readonly AdvisedLayout[];
  readonly workloads: readonly WastefulWorkload[];
  readonly notes: readonly string[];
}

export interface Advice {
  readonly found: FoundPeriod;
  readonly seeds: readonly number[];
  readonly played: HistoryLoad;
  readonly estimated: number;
  readonly simulated: number;
  readonly judgement: Judgement;
  readonly others: readonly UnadvisedGroup[];
}

export function writeAdvice({ found, seeds, played, estimated, simulated, judgement, others }: Advice): AdviceDocument {
  const { period } = found;
  const hours = (period.until - period.since) / 3_600_000;
  const { load } = played;
  const idle = judgement.layouts.map(({ layout }) => unusedCommitments(load, withLayout(load, layout)));
  return {
    ...coveredPeriod(period, found),
    seeds,
    today: meansOf(judgement.today, hours),
    estimated,
    simulated,
    layouts: judgement.layouts.map((layout, index) => ({
      changes: layout.layout.map(({ pool, types }) => ({
        groups: pool.groups.map(({ name }) => name),
        from: pool.types,
        to: types,
      })),
      estimatedSaving: layout.estimatedSaving,
      ...meansOf(layout.runs, hours),
      saving: layout.saving,
      verdict: verdictOn(layout.saving, itemAt(idle, index)),
    })),
    workloads: wastefulWorkloads(period),
    notes: [
      'Prices of other instance types are the list prices of us-east-1, with the discount that the prices of the node groups have.',
      ...itemsIf(knownCommitments(load).length > 0, [
        'Nodes that cost nothing more, as they are paid for in any case (reservedCapacity), count at list price: a layout saves only as far as the capacity that is paid for is used by other nodes.',
      ]),
      ...idle.flatMap((left, index) =>
        itemsIf(left.length > 0, [
          `No node of layout ${index + 1} uses capacity that is paid for in any case: ${firstNames(left.map(commitmentText))}.`,
        ]),
      ),
      ...others.map(({ group, why }) => `No other instance type was tried for ${group}: ${why}.`),
      ...played.leftOut.map((group) => `Nothing shows the nodes of ${group}: not simulated.`),
      ...simplifiedNote(period),
    ],
  };
}

function verdictOn({ low, high }: Saving, idle: readonly unknown[]): AdvisedLayout['verdict'] {
  if (low > 0) {
    return idle.length > 0 ? 'idle' : 'saves';
  }
  return high < 0 ? 'dearer' : 'unclear';
}

function meansOf(runs: readonly BacktestFigures[], hours: number): RunMeans {
  const meanOf = (of: (figures: BacktestFigures) => number): number => mean(runs.map(of));
  const usd = meanOf((figures) => figures.usd ?? 0);
  const waits = runs.flatMap((figures) => figures.waits?.p95 ?? []);
  return {
    usd,
    usdPerMonth: (usd / hours) * HOURS_A_MONTH,
    nodeHours: meanOf(({ nodeHours }) => nodeHours),
    nodesMost: meanOf(({ nodesMost }) => nodesMost),
    waitP95: waits.length === 0 ? null : mean(waits),
    evictions: meanOf(({ evictions }) => evictions ?? 0),
  };
}
