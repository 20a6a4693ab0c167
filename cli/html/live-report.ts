import { firstNames } from '@outrigger/core/model/values/clip.ts';
import { type PageRow, pageText } from '@outrigger/core/explanation/pages/page.ts';
import { groupRow, podRow, statusFacts, statusSections } from '@outrigger/core/explanation/pages/status-rows.ts';
import type { ClusterStatus } from '@outrigger/core/explanation/status.ts';
import { counted } from '@outrigger/core/model/values/counted.ts';
import { mapOptional, presentItems } from '@outrigger/core/model/values/optional.ts';
import { clockTime } from '../terminal/clock-time.ts';
import { needSeries, overTime, planChart } from './charts.ts';
import { type LiveRecord, phasesFrom } from './live-recorder.ts';
import { nodeSeries } from './lives.ts';
import type { ChartOfReport, Report, SeriesOfReport, TableOfReport } from './report.ts';
import { pointsOf } from './samples.ts';
import { TITLES } from '@outrigger/core/explanation/titles.ts';

/**
 * The decisions of a process in the last hours, as a report.
 *
 * @param status of the cluster, from what is stored; `null` before the first evaluation.
 */
export function liveReport(cluster: string, recorded: LiveRecord, status: ClusterStatus | null): Report {
  const { from, to } = recorded;
  const end = (to - from) / 1_000;
  const seconds = (at: number): number => Math.max(0, at - from) / 1_000;
  const nodes = recorded.nodes.map((node) => ({ ...node, phases: phasesFrom(node.phases, from) }));
  const timed = recorded.decisions.map(({ at, decision }) => ({ ...decision, at: seconds(at) }));
  return {
    title: `Outrigger: ${cluster}`,
    about: 'What this process has decided, in the last six hours at most. Times are UTC.',
    start: from,
    facts: mapOptional(status, factsOf) ?? [['Mode', 'not evaluated yet']],
    tables: mapOptional(status, tablesOf) ?? [],
    charts: [
      {
        title: 'Nodes',
        summary: `${counted(nodes.filter(({ phases }) => phases.at(-1)?.to === end).length, 'node')} at the last evaluation.`,
        kind: 'stacked',
        unit: 'count',
        categories: null,
        series: nodeSeries(nodes, end),
      },
      sampled(TITLES.pendingPods, 'count', {
        name: 'waiting',
        tone: 'waiting',
        points: pointsOf(recorded.waiting, from, end),
      }),
      ...costChart(recorded, end),
      ...planChart(
        recorded.decisions.map(({ at }) => clockTime((at % DAY_MS) / 1_000)),
        recorded.decisions,
      ),
    ],
    picture: recorded.picture,
    span: { from: 0, to: Math.max(1, end) },
    nodes,
    // The newest decisions come first.
    decisions: timed.toReversed(),
  };
}

const DAY_MS = 86_400_000;

/** None where some price is unknown. */
function costChart({ cost, needs, from }: LiveRecord, end: number): readonly ChartOfReport[] {
  if (cost.length === 0) {
    return [];
  }
  const nodes: SeriesOfReport = { name: 'nodes', tone: 'cost', points: pointsOf(cost, from, end) };
  return [sampled('Cost of the nodes per hour', 'usd per hour', nodes, needSeries(needs, from, end))];
}

/** As `outrigger status` says it. */
const factsOf = (status: ClusterStatus): Report['facts'] =>
  statusFacts(status)
    .filter(([name]) => name !== 'Cluster')
    .map(([name, value]) => [name, value ?? '']);

/** The parts of the status that the dashboard's widget begins with, too, in its order. */
function tablesOf(status: ClusterStatus): readonly TableOfReport[] {
  const { corrections, headroom, replacements } = statusSections(status);
  const tables: readonly TableOfReport[] = [
    {
      title: corrections.title,
      columns: ['About', 'What', 'What to do'],
      rows: corrections.rows.map((row) => [...cellsOf(row), presentItems([row.details]).map(pageText).join('')]),
    },
    {
      title: TITLES.pendingPods,
      columns: ['Pods', 'Outcome', 'Reasons'],
      rows: status.pods
        .map(podRow)
        .map(({ pods, outcome, reasons }) => [firstNames(pods), outcome, reasons.join('; ')]),
    },
    {
      title: TITLES.groups,
      columns: ['Name', 'Size', 'Min – max', 'Ready', 'Upcoming', 'Problem'],
      rows: status.groups.map((one) => {
        const { group, size, min, max, ready, upcoming, trouble } = groupRow(one, status.at);
        return [group, size, `${min} – ${max}`, String(ready), String(upcoming), trouble];
      }),
    },
    { title: headroom.title, columns: ['Name', 'State'], rows: headroom.rows.map(cellsOf) },
    { title: replacements.title, columns: ['Nodes', 'State'], rows: replacements.rows.map(cellsOf) },
  ];
  return tables.filter(({ rows }) => rows.length > 0);
}

const cellsOf = ({ names, lines }: PageRow): readonly [names: string, lines: string] => [
  names.join(', '),
  lines.join(' '),
];

/** Values over time, and others beside them. */
function sampled(
  title: string,
  unit: 'count' | 'usd per hour',
  series: SeriesOfReport,
  beside: readonly SeriesOfReport[] = [],
): ChartOfReport {
  const last = series.points.at(-1);
  const write = (value: number): string => (unit === 'count' ? String(value) : `$${value.toFixed(2)}`);
  const text = mapOptional(last, ([, value]) => write(value)) ?? 'nothing yet';
  return overTime({
    title,
    summary: `At the last evaluation: ${text}.`,
    unit,
    series: [series, ...beside],
  });
}
