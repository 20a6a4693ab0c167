import { addCount } from '../../../core/model/values/counts.ts';
import type { Consideration, Increase } from '../../../core/model/decision.ts';
import { isRemovalTaint } from '../../../core/model/cluster/removal-taints.ts';
import { SCALE_UP_RESULTS } from '../../../core/words/outcomes.ts';
import { whyGroupSkipped } from '../../../core/words/why-group-skipped.ts';
import { groupBar } from './bars.ts';
import {
  type DecisionEntry,
  type Entry,
  handle,
  type Handlers,
  type LoadEntry,
  type RecordedGroup,
  type Recording,
  type Stuck,
} from '../record/recording.ts';
import type { Paint } from '../../terminal/paint.ts';
import { createScaleDownNews } from './scale-down-news.ts';
import { createStage, type Stage } from './stage.ts';
import { counted } from '../../../core/model/values/counted.ts';
import { table } from '../../terminal/table.ts';
import { clockTime, length, NARROW, percent, shortName, type Style } from '../../terminal/text.ts';
import { wrap } from '../../terminal/wrap.ts';
import { createWorkloadNews } from './workload-news.ts';

/** One thing told: when, in virtual seconds, and the lines that tell it. */
export interface Beat {
  readonly at: number;
  readonly lines: readonly string[];
}

const TAG_WIDTH = 9;
const TIME_WIDTH = 9;
const INDENT = TIME_WIDTH + TAG_WIDTH;
/** Things of one kind that happen within so many seconds are told together. */
const TOGETHER = {
  pending: 1,
  grow: 1.5,
  ready: 4,
  softTaint: 3,
  hardTaint: 3,
  untaint: 3,
  shrink: 12,
  gone: 25,
} as const;
/** A pause of so many seconds is worth a line. */
const LONG_PAUSE = 150;
const MOST_ROWS = 8;
/** With more groups than this, the bars of those that stand still are left out. */
const MOST_BARS = 3;

type BundleName = keyof typeof TOGETHER;

/** Entries of one kind, waiting to be told together. */
interface Bundle {
  readonly since: number;
  readonly entries: Entry[];
}

/** Tells a recording in lines for people. */
export function tell(recording: Recording, style: Style): readonly Beat[] {
  const beats: Beat[] = [];
  const stage = createStage(recording.nodeGroups);
  const bundles = new Map<BundleName, Bundle>();
  const workloads = createWorkloadNews(recording.timeline);
  const scaleDown = createScaleDownNews(recording, stage);
  const launched = new Map<string, number>();
  const failing = new Set<string>();
  const said = new Set<string>();

  const say = (at: number, tag: string, paint: Paint, text: string, more: readonly string[] = []): void => {
    beats.push({ at, lines: [...head(at, tag, paint, text, style), ...more.map((line) => indent(style) + line)] });
  };

  const flush = (before: number): void => {
    for (const [name, { since, entries }] of bundles) {
      if (since + TOGETHER[name] <= before) {
        bundles.delete(name);
        FLUSH[name](since, entries);
      }
    }
  };

  const FLUSH: Readonly<Record<BundleName, (since: number, entries: readonly Entry[]) => void>> = {
    pending: (since, entries) => {
      for (const [message, pods] of byMessage(entries)) {
        say(since, 'pending', 'yellow', `${pods}: ${message}`);
      }
    },
    grow: (_since, entries) => {
      say(entries.at(-1)!.at, 'scale', 'magenta', sizesText(entries), zoneBars(stage, style));
    },
    shrink: (since, entries) => say(since, 'scale', 'magenta', sizesText(entries)),
    ready: (_since, entries) => {
      say(
        entries.at(-1)!.at,
        'nodes',
        'blue',
        readyText(entries, launched),
        isComplete(stage) ? zoneBars(stage, style) : [],
      );
    },
    softTaint: (since, entries) => say(since, 'taint', 'yellow', taintText(entries, said)),
    hardTaint: (since, entries) => say(since, 'taint', 'yellow', taintText(entries, said)),
    untaint: (since, entries) => say(since, 'taint', 'yellow', `taken off ${nodesIn(entries)} again`),
    gone: (_since, entries) => say(entries.at(-1)!.at, 'gone', 'blue', goneText(entries)),
  };

  const bundle = (name: BundleName, entry: Entry): void => {
    const open = bundles.get(name);
    if (open === undefined) {
      bundles.set(name, { since: entry.at, entries: [entry] });
    } else {
      open.entries.push(entry);
    }
  };

  const onWorkload = (entry: Entry): void => {
    const news = workloads.advance(entry);
    if (news !== null) {
      flush(Number.POSITIVE_INFINITY);
      say(entry.at, news.tag, news.tag === 'budget' ? 'yellow' : 'green', news.text);
    }
  };

  const onEntry: Handlers<void> = {
    Load: (entry) => {
      flush(Number.POSITIVE_INFINITY);
      workloads.load(entry);
      say(entry.at, 'load', 'cyan', loadText(entry));
    },
    PodUnschedulable: (entry) => bundle('pending', entry),
    SizeSet: (entry) => bundle(entry.to < entry.from ? 'shrink' : 'grow', entry),
    NodeReady: (entry) => bundle('ready', entry),
    NodeGone: (entry) => bundle('gone', entry),
    NodeTainted: (entry) => bundle(isRemovalTaint(entry.taint) ? 'hardTaint' : 'softTaint', entry),
    NodeUntainted: (entry) => {
      // The harder taint comes in the softer one's place.
      if (stage.node(entry.node)?.leaving === false) {
        bundle('untaint', entry);
      }
    },
    ScaleDown: (entry) => {
      for (const { tag, paint, text, more } of scaleDown(entry, style)) {
        say(entry.at, tag, paint, text, more);
      }
    },
    Decision: (entry) => {
      const [text, more] = decisionText(entry, style);
      if (entry.increases.length > 0 || !said.has(text)) {
        say(entry.at, 'decide', 'magenta', text, more);
      }
      // That nothing is to be added is worth telling, but not after each decision.
      said.add(text);
    },
    InstanceLaunched: ({ instance, group, at }) => {
      launched.set(instance, at);
      failing.delete(group);
    },
    LaunchFailed: ({ group, at, code, message }) => {
      if (!failing.has(group)) {
        failing.add(group);
        say(at, 'cloud', 'red', `${group}: ${code}. ${message}`);
      }
    },
    Trouble: ({ level, message, at }) =>
      level === 'warn' ? say(at, 'warning', 'yellow', message) : say(at, 'error', 'red', message),
    PodCreated: onWorkload,
    PodRunning: onWorkload,
    PodFinished: onWorkload,
    PodDeleted: onWorkload,
    PodEvicted: onWorkload,
    EvictionRefused: onWorkload,
  };

  for (const entry of recording.timeline) {
    // A decision is told after what it is about.
    flush(entry.kind === 'Decision' ? entry.at + TOGETHER.pending : entry.at);
    stage.advance(entry);
    handle(onEntry, entry);
  }
  flush(Number.POSITIVE_INFINITY);
  return withPauses(
    beats.toSorted((a, b) => a.at - b.at),
    style,
  );
}

/** Says where time goes by and there is nothing to tell. */
const withPauses = (beats: readonly Beat[], { colors }: Style): readonly Beat[] =>
  beats.map((beat, index) => {
    const pause = beat.at - (beats[index - 1]?.at ?? beat.at);
    return pause < LONG_PAUSE
      ? beat
      : { ...beat, lines: [colors.dim(`${'⋮'.padStart(TIME_WIDTH - 3)}   ${length(pause)} go by`), ...beat.lines] };
  });

const indent = ({ width }: Style): string => ' '.repeat(width < NARROW ? 4 : INDENT);

function head(at: number, tag: string, paint: Paint, text: string, style: Style): readonly string[] {
  const { colors, width } = style;
  const [first = '', ...rest] = wrap(text, Math.max(20, width - INDENT - 1));
  return [
    `${colors.dim(clockTime(at).padStart(TIME_WIDTH - 2))}  ${colors.bold(colors[paint](tag.padEnd(TAG_WIDTH)))}${first}`,
    ...rest.map((line) => ' '.repeat(INDENT) + line),
  ];
}

/** Which pods the scheduler says the same of: `3 pods of web, 1 pod of api`. What it said last holds for a workload. */
function byMessage(entries: readonly Entry[]): ReadonlyMap<string, string> {
  const workloads = new Map<string, { readonly pods: number; readonly message: string }>();
  for (const entry of entries) {
    if (entry.kind === 'PodUnschedulable') {
      const pods = (workloads.get(entry.workload)?.pods ?? 0) + 1;
      workloads.set(entry.workload, { pods, message: entry.message });
    }
  }
  const messages = new Map<string, string>();
  for (const [workload, { pods, message }] of workloads) {
    const before = messages.get(message);
    const these = `${counted(pods, 'pod')} of ${shortName(workload)}`;
    messages.set(message, before === undefined ? these : `${before}, ${these}`);
  }
  return messages;
}

function loadText({ step, subject, count, before, requests, runsFor, minAvailable, annotations }: LoadEntry): string {
  const name = shortName(subject);
  const each = Object.entries(requests).map(([resource, amount]) =>
    resource === 'cpu' ? `${amount} CPU` : `${amount} ${resource}`,
  );
  const asking = each.length === 0 ? '' : ` of ${each.join(', ')}`;
  const more = [
    ...(minAvailable === null ? [] : [`; ${minAvailable} must be available`]),
    ...Object.entries(annotations).map(([key, value]) => `; ${key.split('/').at(-1)!}: "${value}"`),
  ].join('');
  switch (step) {
    case 'deploy':
      return `Deployment ${name}: ${counted(count, 'pod')}${asking}${more}`;
    case 'job':
      return `Job ${name}: ${counted(count, 'pod')}${asking}, each runs for ${length(runsFor ?? 0)}${more}`;
    case 'scale':
      return `Deployment ${name} is scaled from ${before} to ${counted(count, 'pod')}`;
    case 'delete':
      return `${name} is deleted`;
    case 'capacity':
      return `the cloud now has ${counted(count, 'instance')} for ${subject}, all in all`;
  }
}

function sizesText(entries: readonly Entry[]): string {
  const changes = new Map<string, Increase>();
  for (const entry of entries) {
    if (entry.kind === 'SizeSet') {
      changes.set(entry.group, { ...entry, from: changes.get(entry.group)?.from ?? entry.from });
    }
  }
  return [...changes.values()]
    .sort((a, b) => (a.group < b.group ? -1 : 1))
    .map(({ group, from, to }) => `${group} ${from} → ${to}`)
    .join('   ');
}

function readyText(entries: readonly Entry[], launched: ReadonlyMap<string, number>): string {
  const times = entries.flatMap((entry) =>
    entry.kind === 'NodeReady' ? [entry.at - (launched.get(entry.instance) ?? entry.at)] : [],
  );
  const fastest = Math.round(Math.min(...times));
  const slowest = Math.round(Math.max(...times));
  const took = fastest === slowest ? `${slowest} s` : `${fastest}–${slowest} s`;
  return `${counted(entries.length, 'node')} booted and joined, ${took} after launch`;
}

function nodesIn(entries: readonly Entry[]): string {
  const names = new Set(entries.flatMap((entry) => ('node' in entry ? entry.node : [])));
  return counted(names.size, 'node');
}

/** What one taint or another means, with its name the first time. */
function taintText(entries: readonly Entry[], said: Set<string>): string {
  const taints = entries.flatMap((entry) => (entry.kind === 'NodeTainted' ? entry.taint : []));
  const names = [...new Set(taints.map(({ key, effect }) => `${key}:${effect}`))].filter((name) => !said.has(name));
  for (const name of names) {
    said.add(name);
  }
  const nodes = nodesIn(entries);
  return taints.some(({ effect }) => effect === 'PreferNoSchedule')
    ? `the scheduler avoids ${nodes}${names.map((name) => ` (${name})`).join('')}`
    : `no more pods are put on ${nodes}${names.map((name) => ` (${name})`).join('')}`;
}

function goneText(entries: readonly Entry[]): string {
  const groups = new Map<string, number>();
  for (const entry of entries) {
    if (entry.kind === 'NodeGone') {
      addCount(groups, entry.group);
    }
  }
  const each = [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([group, nodes]) => `${group} ${nodes}`);
  return `${counted(entries.length, 'machine')} ended: ${each.join(', ')}`;
}

/** As many nodes are there as were asked for. */
const isComplete = ({ groups }: Stage): boolean =>
  [...groups.values()].every(({ ready, desired }) => ready === desired);

/** One bar for each group. */
function zoneBars({ groups }: Stage, { colors }: Style): readonly string[] {
  const all = [...groups.values()];
  const shown =
    all.length <= MOST_BARS ? all : all.filter(({ ready, desired }) => ready !== desired).slice(0, MOST_ROWS);
  const rows = shown.map((one) => [
    one.group.name,
    colors.dim(zonesOf(one.group)),
    groupBar(one, colors),
    `${Math.min(one.ready, one.desired)}${one.desired > one.ready ? colors.yellow(`+${one.desired - one.ready}`) : ''}`,
  ]);
  return table(rows, ['left', 'left', 'left', 'left']);
}

export const zonesOf = ({ zones }: Pick<RecordedGroup, 'zones'>): string =>
  zones.length === 1 ? zones[0]! : `${zones.length} zones`;

function decisionText(entry: DecisionEntry, style: Style): [string, readonly string[]] {
  const { increases, considered, unschedulable, outcomes, waited } = entry;
  const added = increases.reduce((sum, { from, to }) => sum + to - from, 0);
  const sentences: string[] = [];
  if (added > 0) {
    const speed = waited === null ? '' : `, ${length(waited)} after the first was pending`;
    sentences.push(`add ${counted(added, 'node')} for ${counted(outcomes['Triggered'] ?? 0, 'pod')}${speed}`);
  }
  const fits = outcomes['Fits'] ?? 0;
  if (fits > 0 && added === 0) {
    sentences.push(
      entry.upcoming > 0
        ? 'Pods that still wait will find room on nodes that are on their way: nothing to add'
        : 'Pods that still wait will find room on the nodes there are: nothing to add',
    );
  }
  if (entry.result === 'ClusterUnhealthy' || entry.result === 'Limited' || entry.result === 'NotTried') {
    sentences.push(`nothing is added: ${SCALE_UP_RESULTS[entry.result].short}`);
  }
  for (const stuck of unschedulable) {
    sentences.push(stuckText(stuck));
  }
  const skipped = entry.skippedGroups.map((one) => `${one.group} is skipped: ${whyGroupSkipped(one)}`);
  return [
    capital(sentences.join('. ')),
    [...considered.flatMap((one) => considerationLines(one, style)), ...skipped.map((line) => style.colors.dim(line))],
  ];
}

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** `no group helps 3 pods of huge: web-a, web-b: Insufficient cpu`. */
export function stuckText({ workload, pods, reasons }: Stuck): string {
  const byReason = new Map<string, string[]>();
  for (const { group, reason } of reasons) {
    byReason.set(reason, [...(byReason.get(reason) ?? []), ...(group === undefined ? [] : [group])]);
  }
  const why = [...byReason].map(([reason, groups]) => (groups.length > 0 ? `${groups.join(', ')}: ${reason}` : reason));
  return `no group helps ${counted(pods, 'pod')} of ${shortName(workload)} (${why.join('; ')})`;
}

/** The groups that were compared, the winner first, and why it won. */
function considerationLines(
  { options, winner, why, split }: Consideration,
  { colors, width }: Style,
): readonly string[] {
  const ordered = [...options].sort(
    (a, b) => Number(b.group === winner) - Number(a.group === winner) || a.waste - b.waste,
  );
  const alike = new Map<
    string,
    { readonly groups: string[]; readonly cells: readonly string[]; readonly wins: boolean }
  >();
  for (const { group, nodes, pods, waste } of ordered) {
    const wins = group === winner;
    const cells = [
      counted(nodes, 'node'),
      `${width < NARROW ? '' : 'for '}${counted(pods, 'pod')}`,
      `${percent(waste / 2)} ${width < NARROW ? 'free' : 'unused'}`,
    ];
    const key = JSON.stringify([wins, ...cells]);
    alike.set(key, { groups: [...(alike.get(key)?.groups ?? []), group], cells, wins });
  }
  const rows = [...alike.values()].slice(0, MOST_ROWS).map(({ groups, cells, wins }) => {
    const shown = width < NARROW ? 1 : 3;
    const others = groups.length > shown ? ` +${groups.length - shown}` : '';
    const named = `${groups.slice(0, shown).join(', ')}${others}`;
    return [
      wins ? colors.bold('▸') : ' ',
      ...[named, ...cells].map((cell) => (wins ? colors.bold(cell) : colors.dim(cell))),
    ];
  });
  const more = alike.size - rows.length;
  const sharing =
    split.length > 1 ? `; split over ${counted(split.length, 'similar group')} to keep their sizes alike` : '';
  return [
    ...table(rows, ['left', 'left', 'right', 'right', 'right']),
    ...(more > 0 ? [colors.dim(`  and ${counted(more, 'other choice')}`)] : []),
    ...wrap(`${why}${sharing}`, Math.max(20, width - INDENT - 3)).map((line) => `  ${colors.dim(line)}`),
  ];
}
