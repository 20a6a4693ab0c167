import Table from 'cli-table3';
import { type Interval, intervalOf, resamples } from '../../interval.ts';
import { familyOf } from './loads.ts';
import type { Measured } from './measure.ts';

/** Two runs of the same load. */
interface Pair {
  readonly row: Measured;
  /** With the setting that the others are compared with. */
  readonly base: Measured;
}

/** A figure over all seeds of a family. */
interface Figure extends Interval {
  readonly median: number;
  readonly most: number;
}

const COLUMNS: Readonly<Record<string, (pairs: readonly Pair[]) => string>> = {
  seeds: (pairs) => `${pairs.length}`,
  '× first': (pairs) => figureText(figureOf(pairs, ({ row, base }) => row.usd / base.usd)),
  cheaper: (pairs) => percent(pairs.filter(({ row, base }) => row.usd < base.usd).length / pairs.length),
  '× repacking': (pairs) => figureText(figureOf(pairs, ({ row }) => row.repacking)),
  'lost %': (pairs) => figureText(figureOf(pairs, ({ row }) => row.lostShare * 100)),
  'evicted a removal': (pairs) =>
    figureText(figureOf(pairs, ({ row: { evictions, removed } }) => evictions / Math.max(1, removed))),
  'p95 wait s': (pairs) => figureText(figureOf(pairs, ({ row, base }) => row.waitP95 - base.waitP95)),
  'moved twice ≤ 1 h (by consolidation)': (pairs) => {
    const sumOf = (of: (row: Measured) => number): number => pairs.reduce((sum, { row }) => sum + of(row), 0);
    return `${sumOf((row) => row.movedTwiceWithin1h)} (${sumOf((row) => row.consolidatedTwiceWithin1h)})`;
  },
  'dearest type gone, h': (pairs) => {
    const begun = pairs.filter(({ row }) => row.dearestGone !== null);
    return begun.length === 0 ? '–' : figureText(figureOf(begun, ({ row }) => row.dearestGone!));
  },
};

/**
 * Compares settings on the loads of each family, pair by pair: medians with their 95 % intervals over the seeds, and the most of any
 * seed. Loads without a family are one of their own. Waits are the seconds beyond those of the first setting.
 */
export function asJudged(rows: readonly Measured[]): string {
  const first = rows[0]?.setting;
  const bases = new Map(rows.filter(({ setting }) => setting === first).map((row) => [row.load, row]));
  const sets = Map.groupBy(rows, ({ load, setting }) => `${familyOf(load)}\n${setting}`);
  const table = new Table({ head: ['family', 'setting', ...Object.keys(COLUMNS)], style: { head: [], border: [] } });
  for (const [name, own] of sets) {
    const pairs = own.map((row) => ({ row, base: bases.get(row.load)! }));
    table.push([...name.split('\n'), ...Object.values(COLUMNS).map((cell) => cell(pairs))]);
  }
  return table.toString();
}

function figureOf(pairs: readonly Pair[], of: (pair: Pair) => number): Figure {
  const values = pairs.map(of);
  const once = values.map(() => 1);
  const median = (times: readonly number[]): number =>
    middleOf(values.flatMap((value, index) => Array.from({ length: times[index]! }, () => value)));
  return { median: median(once), most: Math.max(...values), ...intervalOf(median, resamples(values.length)) };
}

function middleOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length / 2;
  return (sorted[Math.ceil(half) - 1]! + sorted[Math.floor(half)]!) / 2;
}

const figureText = ({ median, low, high, most }: Figure): string =>
  `${median.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)}) ≤ ${most.toFixed(2)}`;

const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;
