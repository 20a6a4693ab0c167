import { livesOf, type Life, type Stretch } from '../record/lives.ts';
import { shortNode, shortReason } from './node-words.ts';
import type { Recording } from '../record/recording.ts';
import { counted } from '../../../core/model/values/counted.ts';
import { clockTime, type Colors, NARROW, type Style } from '../../terminal/text.ts';

/** With more instances than this there is no chart. */
const MOST_INSTANCES = 24;
const WIDEST = 60;

type Look = 'absent' | 'idle' | 'used' | 'unneeded' | 'booting' | 'leaving';

/** Where several states fall into one column, the first of these is drawn. */
const RANK: readonly Look[] = ['leaving', 'booting', 'unneeded', 'used', 'idle', 'absent'];

const DRAWN: Readonly<Record<Look, (colors: Colors) => string>> = {
  absent: () => ' ',
  idle: (colors) => colors.dim('·'),
  used: (colors) => colors.green('█'),
  unneeded: (colors) => colors.yellow('▒'),
  booting: (colors) => colors.cyan('░'),
  leaving: (colors) => colors.red('x'),
};

/** The state of each instance over time: one row each, time from left to right. Empty where there are too many. */
export function chart(recording: Recording, style: Style): readonly string[] {
  const { colors } = style;
  const { seconds } = recording.summary;
  const lives = livesOf(recording, seconds);
  if (lives.length > MOST_INSTANCES || seconds === 0) {
    return [];
  }
  const workloads = new Map(
    recording.timeline.flatMap((entry) => (entry.kind === 'PodCreated' ? [[entry.pod as string, entry.workload]] : [])),
  );
  const rows = lives.map((life) => ({
    group: life.group,
    node: life.node === null ? (life.instance ?? '') : shortNode(life.node),
    note: style.width < NARROW ? '' : noteOf(life, recording, (pod) => workloads.get(pod) ?? null),
    life,
  }));
  const widest = (of: (row: (typeof rows)[number]) => string): number => Math.max(...rows.map((row) => of(row).length));
  const [groups, nodes, notes] = [widest(({ group }) => group), widest(({ node }) => node), widest(({ note }) => note)];
  const columns = Math.min(WIDEST, style.width - groups - nodes - notes - (notes > 0 ? 7 : 5));
  const start = groups + nodes + 4;
  const end = clockTime(seconds);
  return [
    `${' '.repeat(start)}${colors.dim(`0:00${end.padStart(columns - 4)}`)}`,
    ...rows.map(({ group, node, note, life }) =>
      `${group.padEnd(groups)}  ${colors.dim(node.padEnd(nodes))}  ${bar(life, seconds, columns, colors)}  ${colors.dim(note)}`.trimEnd(),
    ),
    ...(style.width < NARROW
      ? [legend(LEGEND.slice(0, 3), colors), legend(LEGEND.slice(3), colors)]
      : [`${' '.repeat(start)}${legend(LEGEND, colors)}`]),
  ];
}

type Legend = readonly (readonly [Look, string])[];

const LEGEND: Legend = [
  ['booting', 'booting'],
  ['used', 'in use'],
  ['idle', 'idle'],
  ['unneeded', 'unneeded'],
  ['leaving', 'being removed'],
];

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
  during: Stretch,
  seconds: number,
): Set<Look> {
  const meets = ({ from, to }: Stretch): boolean => from < during.to && to > during.from;
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

function noteOf(
  { node, gone, removal }: Life,
  { summary }: Recording,
  workloadOf: (pod: string) => string | null,
): string {
  if (removal !== null) {
    return removal.kind === 'empty' ? 'removed empty' : `drained of ${counted(removal.pods, 'pod')}`;
  }
  if (gone !== null) {
    return 'terminated';
  }
  const why = summary.staying.find((one) => one.node === node);
  return why === undefined ? '' : shortReason(why, workloadOf);
}
