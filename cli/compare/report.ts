import { counted } from '@outrigger/core/model/values/counted.ts';
import { formatTime } from '@outrigger/core/model/values/time.ts';
import type { ChartOfReport, DecisionOfReport, Report } from '../html/report.ts';
import type { ComparedRemoval, ComparedScaleUp, Comparison } from './comparison.ts';
import { firstTime } from './removals.ts';
import { type ComparedRow, figureRows, removalLists, removalRow, scaleUpRow } from './text.ts';

/** A comparison as a page: figures side by side, node-hours by node group, and each scale-up and removal. */
export function comparisonReport(cluster: string, comparison: Comparison): Report {
  const { other, since, until, scaleUps, decisions } = comparison;
  const secondsOf = (at: number): number => (at - since) / 1_000;
  const entries = [
    ...scaleUps.map((one) => ofScaleUp(one, other, secondsOf)),
    ...removalLists(comparison).flatMap(([title, removals]) => removals.map((one) => ofRemoval(title, one, secondsOf))),
  ];
  return {
    title: `Outrigger compare: ${cluster}`,
    about: `What ${other} did from ${formatTime(since)} to ${formatTime(until)}, and what Outrigger would have done: ${counted(decisions, 'decision')}.`,
    start: since,
    facts: figureRows(comparison).flatMap(([name, outrigger, acting]) => [
      [`${name}: Outrigger`, outrigger],
      [`${name}: ${other}`, acting],
    ]),
    picture: null,
    charts: hoursChart(comparison),
    span: null,
    nodes: [],
    decisions: entries.toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0)),
  };
}

function hoursChart({ groups, outrigger, acting, other }: Comparison): readonly ChartOfReport[] {
  const points = (by: 'outrigger' | 'acting') => groups.map(({ nodeHours }, x) => [x, nodeHours[by]] as const);
  return [
    {
      title: 'Node-hours by node group',
      summary: `${outrigger.nodeHours.toFixed(1)} node-hours with Outrigger, ${acting.nodeHours.toFixed(1)} with ${other}.`,
      kind: 'bars',
      unit: 'count',
      categories: groups.map(({ group }) => group ?? 'in no node group'),
      series: [
        { name: 'Outrigger', tone: 'used', points: points('outrigger') },
        { name: other, tone: 'other', points: points('acting') },
      ],
    },
  ];
}

type SecondsOf = (at: number) => number;

const ofScaleUp = (one: ComparedScaleUp, other: string, secondsOf: SecondsOf): DecisionOfReport =>
  entryOf(
    { kind: 'scale-up', title: 'Scale-up', at: secondsOf(one.outrigger?.at ?? one.acting?.at ?? 0) },
    scaleUpRow(one, other),
    one.pods,
  );

const ofRemoval = (title: string, one: ComparedRemoval, secondsOf: SecondsOf): DecisionOfReport =>
  entryOf({ kind: 'scale-down', title, at: secondsOf(firstTime(one)) }, removalRow(one), [one.node]);

const entryOf = (
  { kind, title, at }: Pick<DecisionOfReport, 'kind' | 'at'> & { readonly title: string },
  { subject, text }: ComparedRow,
  subjects: readonly string[],
): DecisionOfReport => ({
  at,
  name: subject,
  kind,
  message: text.replaceAll('\n', '; '),
  changes: true,
  picture: null,
  sections: [{ title, rows: [{ label: subject, text, subjects }] }],
});
