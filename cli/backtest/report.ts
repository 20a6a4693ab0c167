import type { GroupName } from '@outrigger/core/model/values/names.ts';
import { overTime } from '../html/charts.ts';
import { type Change, stepsOf } from '../html/lives.ts';
import type { ChartOfReport, Report, SeriesOfReport, Tone } from '../html/report.ts';
import type { Backtest } from './backtest.ts';
import { coverageText } from '../history/coverage.ts';
import type { BacktestDocument } from './document.ts';
import { changesOf, type NodeStretch } from './figures.ts';
import { backtestRows, columnsOf } from './text.ts';
import { dateTimeText } from '../terminal/text.ts';
import { presentItems } from '@outrigger/core/model/values/optional.ts';

const TONES: readonly Tone[] = ['other', 'used', 'cost'];

/** A backtest as a page: figures side by side, and nodes and their cost over time. */
export function backtestReport(document: BacktestDocument, backtest: Backtest): Report {
  const { cluster, since, until, coverage, notes } = document;
  const columns = columnsOf(document);
  return {
    title: `Outrigger backtest: ${cluster ?? 'files'}`,
    about: `The history from ${dateTimeText(since)} to ${dateTimeText(until)}, and the same load simulated: ${coverageText(coverage)}.`,
    start: since,
    facts: [],
    tables: [
      {
        title: 'Figures',
        columns: ['', ...columns],
        rows: backtestRows(document).map(([name, ...cells]) => [name.trim(), ...cells]),
      },
      { title: 'Notes', columns: [''], rows: notes.map((note) => [note]) },
    ],
    picture: null,
    charts: chartsOf(backtest, columns),
    span: null,
    nodes: [],
    decisions: [],
  };
}

function chartsOf(
  { period, history, base, other, groups }: Backtest,
  columns: readonly string[],
): readonly ChartOfReport[] {
  const end = (period.until - period.since) / 1_000;
  const prices = new Map(groups.map(({ group, price }) => [group, price ?? 0]));
  const runs = presentItems([history, base, other]).map(({ stretches }) => stretches);
  const series = (weight: (group: GroupName) => number): readonly SeriesOfReport[] =>
    runs.map((stretches, index) => ({
      name: columns[index] ?? '',
      tone: TONES[index] ?? 'other',
      points: stepsOf(weighted(stretches, end, weight), end),
    }));
  const chart = (title: string, unit: ChartOfReport['unit'], lines: readonly SeriesOfReport[]): ChartOfReport =>
    overTime({
      title,
      summary: lines.map(({ name, points }) => `${name}: at most ${mostOf(points)}`).join('; '),
      unit,
      series: lines,
    });
  const nodes = chart(
    'Nodes',
    'count',
    series(() => 1),
  );
  const hasPrices = groups.some(({ price }) => price !== null);
  if (!hasPrices) {
    return [nodes];
  }
  const cost = series((group) => prices.get(group) ?? 0);
  return [nodes, chart('Cost of the nodes per hour', 'usd per hour', cost)];
}

const weighted = (
  stretches: readonly NodeStretch[],
  end: number,
  weight: (group: GroupName) => number,
): readonly Change[] => changesOf(stretches, end).map(({ at, by, group }) => ({ at, by: by * weight(group) }));

const mostOf = (points: SeriesOfReport['points']): number =>
  Number(points.reduce((most, [, value]) => Math.max(most, value), 0).toFixed(2));
