import type { Increase } from '@outrigger/core/model/decision.ts';
import { counted } from '@outrigger/core/model/values/counted.ts';
import { durationMs } from '@outrigger/core/model/values/time.ts';
import { roughly } from '@outrigger/core/words/when.ts';
import type { Percentiles } from '@outrigger/simulation/recording/recording.ts';
import { facts, listed, page, prose } from '../explain/show/page.ts';
import { columns } from '../terminal/layout.ts';
import type { Style } from '../terminal/text.ts';
import type { ClusterComparison, ComparedRemoval, ComparedScaleUp, Comparison } from './comparison.ts';
import { firstTime } from './removals.ts';
import { dateTimeText } from '../terminal/text.ts';

/** A scale-up or a removal in words: when, about what, and the difference. */
export interface ComparedRow {
  readonly at: string;
  readonly subject: string;
  readonly text: string;
}

/** A comparison in words: one list of rows for the text and for the page. */
export const figureRows = ({ outrigger, acting }: Comparison): readonly (readonly [string, string, string])[] => {
  const row = (name: string, of: (totals: Comparison['outrigger']) => string) =>
    [name, of(outrigger), of(acting)] as const;
  const wait = (of: keyof Percentiles) => (totals: Comparison['outrigger']) =>
    totals.pendingToSize === null ? 'unknown' : `${totals.pendingToSize[of].toFixed(1)} s`;
  return [
    row('Pending to size, median', wait('p50')),
    row('Pending to size, longest', wait('max')),
    row('Nodes added', ({ nodesAdded }) => String(nodesAdded)),
    row('Nodes removed', ({ nodesRemoved }) => String(nodesRemoved)),
    row('Node-hours', ({ nodeHours }) => nodeHours.toFixed(1)),
    row('USD', ({ usd }) => (usd === null ? 'no price' : usd.toFixed(2))),
  ];
};

const groupRows = ({ groups }: Comparison): readonly (readonly [string, string, string])[] =>
  groups.map(({ group, nodeHours, price }) => [
    `  ${group ?? 'in no node group'}${price === null ? '' : ` ($${price}/h)`}`,
    nodeHours.outrigger.toFixed(1),
    nodeHours.acting.toFixed(1),
  ]);

const sizesText = (sizes: readonly Increase[]): string =>
  sizes.map(({ group, from, to }) => `${group} ${from} → ${to}`).join(', ');

export function scaleUpRow({ pods, outrigger, acting }: ComparedScaleUp, other: string): ComparedRow {
  const at = outrigger?.at ?? acting?.at;
  const late = outrigger === null || acting === null ? null : acting.at - outrigger.at;
  const about = acting?.exact === false ? ' at most' : '';
  return {
    at: at === undefined ? '' : dateTimeText(at),
    subject: counted(pods.length, 'pod'),
    text: [
      `Outrigger: ${outrigger === null ? 'saw no need' : sizesText(outrigger.sizes)}`,
      `${other}: ${acting === null ? 'set no size' : sizesText(acting.sizes)}${late === null ? '' : lateText(late, about)}`,
    ].join('\n'),
  };
}

/** A time for people, without milliseconds. */
const lateText = (late: number, about: string): string =>
  late >= 0 ? `, ${roughly(durationMs(late))} later${about}` : `, ${roughly(durationMs(-late))} earlier`;

const SAFE = { true: 'Safe', false: 'Not safe', null: 'Not known whether safe' } as const;

export function removalRow(removal: ComparedRemoval): ComparedRow {
  const { node, group, safe, why } = removal;
  return { at: dateTimeText(firstTime(removal)), subject: node, text: `${group}. ${SAFE[`${safe}`]}: ${why}` };
}

export const removalLists = ({
  removals,
  other,
}: Comparison): readonly (readonly [string, readonly ComparedRemoval[]])[] =>
  [
    [`Removals by ${other} alone`, removals.filter(({ by }) => by === 'acting')],
    ['Removals by Outrigger alone', removals.filter(({ by }) => by === 'outrigger')],
    ['Removals by both', removals.filter(({ by }) => by === 'both')],
  ] as const;

/** A comparison for a terminal. */
export function tellComparison(comparison: ClusterComparison, style: Style): string {
  const { cluster, since, until, decisions, other, otherStatus, scaleUps } = comparison;
  const { colors, width } = style;
  const cells = ({ at, subject, text }: ComparedRow): readonly string[] => [at, `${subject}\n${text}`];
  const withTitle = (title: string, rows: readonly ComparedRow[]) =>
    listed(`${title} (${rows.length})`, rows.map(cells), ['left'], style);
  const table = (rows: readonly (readonly string[])[]) =>
    columns(
      [['', 'Outrigger', other].map((name) => colors.bold(name)), ...rows].map((row) => [...row, '']),
      ['left', 'right', 'right'],
      width,
    );
  return page([
    facts(
      [
        ['Cluster', cluster],
        ['Period', `${dateTimeText(since)} – ${dateTimeText(until)}: ${counted(decisions, 'decision')} compared`],
        ['Beside', otherStatus === null ? other : `${other}: ${otherStatus}`],
      ],
      style,
    ),
    table([...figureRows(comparison), ...groupRows(comparison)]),
    scaleUps.length === 0
      ? []
      : withTitle(
          'Scale-ups',
          scaleUps.map((one) => scaleUpRow(one, other)),
        ),
    ...removalLists(comparison).map(([title, rows]) =>
      rows.length === 0 ? [] : withTitle(title, rows.map(removalRow)),
    ),
    scaleUps.length + comparison.removals.length === 0 ? prose('Neither added or removed a node.', style) : [],
  ]);
}
