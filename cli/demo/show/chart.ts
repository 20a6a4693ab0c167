import type { Unremovable } from '@outrigger/core/model/decision.ts';
import { itemAt } from '@outrigger/core/model/values/existing.ts';
import { mapOptional, textIf, presentItems } from '@outrigger/core/model/values/optional.ts';
import { livesOf, type Life, type LifeStretch } from '@outrigger/simulation/recording/lives.ts';
import { shortNode, shortReason } from './node-words.ts';
import type { Recording } from '@outrigger/simulation/recording/recording.ts';
import { lifeNote } from '../../html/lives.ts';
import { counted } from '@outrigger/core/model/values/counted.ts';
import { clockTime } from '../../terminal/clock-time.ts';
import { type Colors, fitted, NARROW, type Style } from '../../terminal/text.ts';

/** With more instances than this there is a row for each node group. */
const MOST_INSTANCES = 24;
const MOST_GROUPS = 24;
const WIDEST = 60;
const NARROWEST = 12;

type Look = 'absent' | 'idle' | 'used' | 'unneeded' | 'booting' | 'leaving';

/** If several states fall into one column, the first state of this list is drawn. */
const RANK: readonly Look[] = ['leaving', 'booting', 'unneeded', 'used', 'idle', 'absent'];

const DRAWN: Readonly<Record<Look, (colors: Colors) => string>> = {
  absent: () => ' ',
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
  const widest = (of: (row: (typeof rows)[number]) => string): number => Math.max(...rows.map((row) => of(row).length));
  const [groups, nodes, notes] = [widest(({ group }) => group), widest(({ node }) => node), widest(({ note }) => note)];
  const columns = Math.max(NARROWEST, Math.min(WIDEST, style.width - groups - nodes - notes - (notes > 0 ? 7 : 5)));
  const start = groups + nodes + 4;
  return [
    timeline(start, seconds, columns, colors),
    ...rows.map(({ group, node, note, life }) =>
      `${group.padEnd(groups)}  ${colors.dim(node.padEnd(nodes))}  ${bar(life, seconds, columns, colors)}${textIf(note !== '', `  ${colors.dim(note)}`)}`.trimEnd(),
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
  const names = Math.max(...shown.map(({ name }) => name.length));
  const columns = Math.max(NARROWEST, Math.min(WIDEST, width - names - 4 - NOTE));
  const rows = shown.map(({ name, of }) => {
    const sizes = Array.from({ length: columns }, (_, column) => {
      const [from, to] = [column, column + 1].map((edge) => (edge * seconds) / columns) as [number, number];
      return of.filter(({ launched, gone }) => (launched ?? 0) < to && (gone ?? seconds) > from).length;
    });
    const most = Math.max(1, ...sizes);
    const bars = sizes.map((size) => itemAt(LEVELS, Math.ceil((size / most) * (LEVELS.length - 1)))).join('');
    return `${name.padEnd(names)}  ${colors.green(bars)}  ${colors.dim(`${most} at most`)}`;
  });
  return presentItems([
    timeline(names + 2, seconds, columns, colors),
    ...rows,
    groups.length > MOST_GROUPS && colors.dim(`and ${counted(groups.length - MOST_GROUPS, 'node group')} more`),
    colors.dim(`${counted(lives.length, 'instance')} in all; up to ${MOST_INSTANCES} have a row each`),
  ]);
}

/** Columns of `1000 at most`. */
const NOTE = 12;

type Legend = readonly (readonly [Look, string])[];

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

function bar(life: Life, seconds: number, columns: number, colors: Colors): string {
  const width = seconds / columns;
  return Array.from({ length: columns }, (_, column) => {
    const looks = looksOf(life, { from: column * width, to: (column + 1) * width }, seconds);
    return DRAWN[RANK.find((look) => looks.has(look)) ?? 'absent'](colors);
  }).join('');
}

function looksOf(
  { launched, ready, gone, used, unneeded, leaving }: Life,
  during: LifeStretch,
  seconds: number,
): Set<Look> {
  const meets = ({ from, to }: LifeStretch): boolean => from < during.to && to > during.from;
  const looks = new Set<Look>();
  if (meets({ from: launched ?? 0, to: ready ?? gone ?? seconds }) && launched !== null) {
    looks.add('booting');
  }
  if (ready !== null && meets({ from: ready, to: gone ?? seconds })) {
    looks.add('idle');
  }
  for (const [look, stretches] of [
    ['used', used],
    ['unneeded', unneeded],
    ['leaving', leaving],
  ] as const) {
    if (stretches.some(meets)) {
      looks.add(look);
    }
  }
  return looks;
}
