import { counted } from '@outrigger/core/model/values/counted.ts';
import { mapOptional, textIf, presentItems } from '@outrigger/core/model/values/optional.ts';
import { durationMs } from '@outrigger/core/model/values/time.ts';
import { roughly } from '@outrigger/core/words/when.ts';
import type { Percentiles } from '@outrigger/simulation/recording/recording.ts';
import { facts, listed, page, prose } from '../explain/show/page.ts';
import { figures } from '../terminal/layout.ts';
import type { ClusterComparison, ComparedRemoval, ComparedScaleUp, Comparison, SizeIncreases } from './comparison.ts';
import { firstTime } from './removals.ts';
import { dateTimeText, type Style } from '../terminal/text.ts';

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
    mapOptional(totals.pendingToSize, (times) => `${times[of].toFixed(1)} s`) ?? 'unknown';
  return [
    row('Pending to size, median', wait('p50')),
    row('Pending to size, longest', wait('max')),
    row('Nodes added', ({ nodesAdded }) => String(nodesAdded)),
    row('Nodes removed', ({ nodesRemoved }) => String(nodesRemoved)),
    row('Node-hours', ({ nodeHours }) => nodeHours.toFixed(1)),
    row('USD', ({ usd }) => usd?.toFixed(2) ?? 'no price'),
  ];
};

const groupRows = ({ groups }: Comparison): readonly (readonly [string, string, string])[] =>
  groups.map(({ group, nodeHours, price }) => [
    `  ${group ?? 'in no node group'}${mapOptional(price, (usd) => ` ($${usd}/h)`) ?? ''}`,
    nodeHours.outrigger.toFixed(1),
    nodeHours.acting.toFixed(1),
  ]);

const sizesText = ({ sizes }: SizeIncreases): string =>
  sizes.map(({ group, from, to }) => `${group} ${from} → ${to}`).join(', ');

export function scaleUpRow({ pods, outrigger, acting }: ComparedScaleUp, other: string): ComparedRow {
  return {
    at: mapOptional(outrigger?.at ?? acting?.at, dateTimeText) ?? '',
    subject: counted(pods.length, 'pod'),
    text: [
      `Outrigger: ${mapOptional(outrigger, sizesText) ?? 'saw no need'}`,
      `${other}: ${mapOptional(acting, sizesText) ?? 'set no size'}${lateText({ outrigger, acting })}`,
    ].join('\n'),
  };
}

function lateText({ outrigger, acting }: Pick<ComparedScaleUp, 'outrigger' | 'acting'>): string {
  if (outrigger === null || acting === null) {
    return '';
  }
  const late = acting.at - outrigger.at;
  if (late < 0) {
    return `, ${roughly(durationMs(-late))} earlier`;
  }
  return `, ${roughly(durationMs(late))} later${textIf(!acting.exact, ' at most')}`;
}

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
  const cells = ({ at, subject, text }: ComparedRow): readonly string[] => [at, `${subject}\n${text}`];
  const withTitle = (title: string, rows: readonly ComparedRow[]) =>
    listed(`${title} (${rows.length})`, rows.map(cells), style);
  return page([
    facts(
      [
        ['Cluster', cluster],
        ['Period', `${dateTimeText(since)} – ${dateTimeText(until)}: ${counted(decisions, 'decision')} compared`],
        ['Beside', presentItems([other, otherStatus]).join(': ')],
      ],
      style,
    ),
    figures(['', 'Outrigger', other], [...figureRows(comparison), ...groupRows(comparison)], style.colors),
    withTitle(
      'Scale-ups',
      scaleUps.map((one) => scaleUpRow(one, other)),
    ),
    ...removalLists(comparison).map(([title, rows]) => withTitle(title, rows.map(removalRow))),
    prose(scaleUps.length + comparison.removals.length === 0 && 'Neither added or removed a node.', style),
  ]);
}
