import { mapOptional, presentItems } from '@outrigger/core/model/values/optional.ts';
import { present } from '@outrigger/core/model/values/present.ts';
import { rounded } from '@outrigger/core/model/values/rounded.ts';
import type { Percentiles } from '@outrigger/simulation/recording/recording.ts';
import { facts, page, prose } from '../explain/show/page.ts';
import { settingsText } from '../replay/settings.ts';
import { bulleted, columns, figures, titled } from '../terminal/layout.ts';
import { length, type Style } from '../terminal/text.ts';
import type { NodeStretch, BacktestFigures } from './figures.ts';
import { periodFacts } from '../history/coverage.ts';
import type { BacktestDocument, Differences } from './document.ts';
import { PEER_TITLES, titleOfOther } from './peer.ts';
import type { Backtest } from './backtest.ts';

type Row = readonly [name: string, ...runs: string[]];

const UNKNOWN = 'unknown';

/** The figures side by side: one list of rows for the text and for the page. */
export function backtestRows({ history, base, other, groups }: BacktestDocument): readonly Row[] {
  const runs = presentItems([history, base, other]);
  const row = (name: string, of: (figures: BacktestFigures) => string): Row => [name, ...runs.map(of)];
  const figure = (value: number | null, digits = 0): string => value?.toFixed(digits) ?? UNKNOWN;
  const wait = (waits: Percentiles | null, of: keyof Percentiles): string =>
    mapOptional(waits, (times) => length(times[of])) ?? '–';
  return [
    row('USD', ({ usd }) => figure(usd, 2)),
    row('Node-hours', ({ nodeHours }) => figure(nodeHours, 1)),
    ...groups.map(({ group, price, nodeHours: of }): Row => [
      `  ${group}${mapOptional(price, (usd) => ` ($${rounded(usd)}/h)`) ?? ''}`,
      ...presentItems([of.history, of.base, of.other]).map((hours) => hours.toFixed(1)),
    ]),
    row('CPU-hours of nodes', ({ cpuHours }) => figure(cpuHours, 0)),
    row('Nodes launched', ({ nodesLaunched }) => figure(nodesLaunched)),
    row('Nodes at most', ({ nodesMost }) => figure(nodesMost)),
    row('Pods that waited', ({ waited }) => figure(waited)),
    row('Wait, median', ({ waits }) => wait(waits, 'p50')),
    row('Wait, 95 %', ({ waits }) => wait(waits, 'p95')),
    row('Evictions', ({ evictions }) => figure(evictions)),
    row('  of Jobs', ({ evictionsOfJobs }) => figure(evictionsOfJobs)),
    row('CPU-hours lost', ({ lostCoreHours }) => figure(lostCoreHours, 1)),
  ];
}

/** The names of the columns: two, or three with another run. */
export function columnsOf({ other, peer }: Pick<BacktestDocument, 'other' | 'peer'>): readonly string[] {
  return presentItems(['history', 'own options', other !== null && titleOfOther(peer)]);
}

/** `USD +1.2 %, node-hours −0.3 %, CPU-hours 0.0 %`. */
const differencesText = ({ usd, nodeHours, cpuHours }: Differences): string =>
  Object.entries(present({ USD: usd, 'node-hours': nodeHours, 'CPU-hours': cpuHours }))
    .map(([name, share]) => `${name} ${signed(share)}`)
    .join(', ');

function signed(share: number): string {
  const text = (Math.abs(share) * 100).toFixed(1);
  if (text === '0.0') {
    return '0.0 %';
  }
  return `${share < 0 ? '−' : '+'}${text} %`;
}

/** A backtest for a terminal. */
export function tellBacktest(document: BacktestDocument, drawn: Backtest, style: Style): string {
  const { set, peer, notes, baseBesideHistory, otherBesideBase, interruptions } = document;
  const names = columnsOf(document);
  const { colors, width } = style;
  return page([
    facts(
      [
        ...periodFacts(document),
        ['Interruptions', interruptions > 0 && `${interruptions}, played in each run`],
        ['Set', settingsText(set)],
      ],
      style,
    ),
    figures(['', ...names], backtestRows(document), colors),
    linesOfNodes(drawn, names, style),
    facts(
      [
        ['Own options', `${differencesText(baseBesideHistory)} of the history`],
        [
          mapOptional(peer, (name) => PEER_TITLES[name]) ?? 'With --set',
          mapOptional(otherBesideBase, (differences) => `${differencesText(differences)} of its own options`),
        ],
      ],
      style,
    ),
    titled(colors.bold('Notes'), bulleted(notes, width)),
    prose(otherBesideBase === null && 'Add --set option=value to play the period with another option.', style),
  ]);
}

const LEVELS = '▁▂▃▄▅▆▇█';
const LINE = 56;

/** The number of nodes over time, a line for each run, all to one scale. */
function linesOfNodes(
  { period, history, base, other }: Backtest,
  names: readonly string[],
  style: Style,
): readonly string[] {
  const end = (period.until - period.since) / 1_000;
  const rows = presentItems([history, base, other]).map(({ stretches }) => meansOf(stretches, end));
  const most = Math.max(0, ...rows.flat());
  const drawn = rows.map((means) => means.map((mean) => LEVELS[levelOf(mean, most)]).join(''));
  return titled(
    style.colors.bold(`Nodes over time, up to ${most.toFixed(0)}`),
    columns(
      drawn.map((line, index) => [names[index] ?? '', line]),
      style.width,
    ),
  );
}

const levelOf = (mean: number, most: number): number =>
  most === 0 ? 0 : Math.min(LEVELS.length - 1, Math.floor((mean / most) * LEVELS.length));

/** The mean number of nodes in each part of the period. */
function meansOf(stretches: readonly NodeStretch[], end: number): readonly number[] {
  const part = end / LINE;
  return Array.from({ length: LINE }, (_, index) => {
    const [from, to] = [index * part, (index + 1) * part];
    return stretches.reduce((sum, one) => sum + Math.max(0, Math.min(to, one.to) - Math.max(from, one.from)), 0) / part;
  });
}
