import { overTime } from '../html/charts.ts';
import { type Change, stepsOf } from '../html/lives.ts';
import type { ChartOfReport, Report, SeriesOfReport, Tone } from '../html/report.ts';
import type { Backtest } from './backtest.ts';
import { coverageText } from '../history/coverage.ts';
import type { BacktestDocument } from './document.ts';
import { changesOf, type PeriodFigures } from './figures.ts';
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
  const series = (changesOfRun: (run: PeriodFigures) => readonly Change[]): readonly SeriesOfReport[] =>
    presentItems([history, base, other]).map((run, index) => ({
      name: columns[index] ?? '',
      tone: TONES[index] ?? 'other',
      points: stepsOf(changesOfRun(run), end),
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
    series(({ stretches }) => changesOf(stretches, end)),
  );
  const hasPrices = groups.some(({ price }) => price !== null);
  if (!hasPrices) {
    return [nodes];
  }
  const cost = series((run) => run.cost.changes);
  return [nodes, chart('Cost of the nodes per hour', 'usd per hour', cost)];
}

const mostOf = (points: SeriesOfReport['points']): number =>
  Number(points.reduce((most, [, value]) => Math.max(most, value), 0).toFixed(2));
