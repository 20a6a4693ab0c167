import type { Unremovable } from '@outrigger/core/model/decision.ts';
import { itemAt } from '@outrigger/core/model/values/existing.ts';
import { mapOptional, textIf, presentItems } from '@outrigger/core/model/values/optional.ts';
import { livesOf, type Life } from '@outrigger/simulation/recording/lives.ts';
import { shortNode, shortReason } from './node-words.ts';
import type { Recording } from '@outrigger/simulation/recording/recording.ts';
import { lifeNote, phasesOf, shownState } from '../../html/lives.ts';
import type { NodeState } from '../../html/report.ts';
import { counted } from '@outrigger/core/model/values/counted.ts';
import { clockTime } from '../../terminal/clock-time.ts';
import { type Colors, fitted, NARROW, type Style } from '../../terminal/text.ts';
import { columnTable } from '../../terminal/table.ts';
import { widest } from '../../terminal/wrap.ts';

/** With more instances than this there is a row for each node group. */
const MOST_INSTANCES = 24;
const MOST_GROUPS = 24;
const WIDEST = 60;
const NARROWEST = 12;

const DRAWN: Readonly<Record<NodeState, (colors: Colors) => string>> = {
  idle: (colors) => colors.dim('·'),
  used: (colors) => colors.green('█'),
  unneeded: (colors) => colors.yellow('▒'),
  booting: (colors) => colors.cyan('░'),
  leaving: (colors) => colors.red('x'),
};

/** The state of each instance over time: one row each, time from left to right. Of many instances, the number in each group. */
export function chart(recording: Recording, style: Style): readonly string[] {
  const { colors } = style;
  const { seconds } = recording.summary;
  const lives = livesOf(recording, seconds);
  if (seconds === 0) {
    return [];
  }
  if (lives.length > MOST_INSTANCES) {
    return sizesChart(recording, lives, style);
  }
  const created = recording.timeline.filter((entry) => entry.kind === 'PodCreated');
  const workloads = new Map<string, string>(created.map(({ pod, workload }) => [pod, workload]));
  const reason = (why: Unremovable): string => shortReason(why, workloads);
  const rows = lives.map((life) => ({
    group: fitted(life.group, style.width),
    node: mapOptional(life.node, shortNode) ?? life.instance ?? '',
    note: style.width < NARROW ? '' : lifeNote(life, recording.summary.staying, reason),
    life,
  }));
  const [groups, nodes, notes] = [
    widest(rows.map(({ group }) => group)),
    widest(rows.map(({ node }) => node)),
    widest(rows.map(({ note }) => note)),
  ];
  const columns = Math.max(NARROWEST, Math.min(WIDEST, style.width - groups - nodes - notes - (notes > 0 ? 7 : 5)));
  const start = groups + nodes + 4;
  return [
    timeline(start, seconds, columns, colors),
    ...columnTable(
      rows.map(({ group, node, note, life }) => [
        group,
        colors.dim(node),
        bar(life, seconds, columns, colors),
        textIf(note !== '', colors.dim(note)),
      ]),
    ),
    ...(style.width < Math.max(NARROW, start + LEGEND_WIDTH)
      ? [legend(LEGEND.slice(0, 3), colors), legend(LEGEND.slice(3), colors)]
      : [`${' '.repeat(start)}${legend(LEGEND, colors)}`]),
  ];
}

const timeline = (start: number, seconds: number, columns: number, colors: Colors): string =>
  `${' '.repeat(start)}${colors.dim(`0:00${clockTime(seconds).padStart(columns - 4)}`)}`;

const LEVELS = ' ▁▂▃▄▅▆▇█';

/** The number of instances of each group over time, as bars of its largest number. */
function sizesChart({ summary: { seconds } }: Recording, lives: readonly Life[], style: Style): readonly string[] {
  const { colors, width } = style;
  const groups = [...Map.groupBy(lives, ({ group }) => group)];
  const shown = groups.slice(0, MOST_GROUPS).map(([group, of]) => ({ name: fitted(group, width), of }));
  const names = widest(shown.map(({ name }) => name));
  const columns = Math.max(NARROWEST, Math.min(WIDEST, width - names - 4 - NOTE));
  const rows = shown.map(({ name, of }) => {
    const sizes = Array.from({ length: columns }, (_, column) => {
      const [from, to] = [column, column + 1].map((edge) => (edge * seconds) / columns) as [number, number];
      return of.filter(({ launched, gone }) => (launched ?? 0) < to && (gone ?? seconds) > from).length;
    });
    const most = Math.max(1, ...sizes);
    const bars = sizes.map((size) => itemAt(LEVELS, Math.ceil((size / most) * (LEVELS.length - 1)))).join('');
    return [name, colors.green(bars), colors.dim(`${most} at most`)];
  });
  return presentItems([
    timeline(names + 2, seconds, columns, colors),
    ...columnTable(rows),
    groups.length > MOST_GROUPS && colors.dim(`and ${counted(groups.length - MOST_GROUPS, 'node group')} more`),
    colors.dim(`${counted(lives.length, 'instance')} in all; up to ${MOST_INSTANCES} have a row each`),
  ]);
}

/** Columns of `1000 at most`. */
const NOTE = 12;

type Legend = readonly (readonly [NodeState, string])[];

const LEGEND: Legend = [
  ['booting', 'booting'],
  ['used', 'in use'],
  ['idle', 'idle'],
  ['unneeded', 'unneeded'],
  ['leaving', 'being removed'],
];

const LEGEND_WIDTH = LEGEND.reduce((sum, [, word]) => sum + word.length + 4, -2);

const legend = (words: Legend, colors: Colors): string =>
  words.map(([look, word]) => `${DRAWN[look](colors)} ${word}`).join('  ');

/** Each column has the state that is shown where several fall into it. */
function bar(life: Life, seconds: number, columns: number, colors: Colors): string {
  const width = seconds / columns;
  const phases = phasesOf(life, seconds);
  return Array.from({ length: columns }, (_, column) => {
    const [from, to] = [column * width, (column + 1) * width];
    const inColumn = phases.filter((phase) => phase.from < to && phase.to > from);
    const state = shownState((one) => inColumn.some((phase) => phase.state === one));
    return mapOptional(state, (one) => DRAWN[one](colors)) ?? ' ';
  }).join('');
}
