import type { Consideration, Increase } from '../../core/model/decision.ts';
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
} from './recording.ts';
import { createStage, type Stage } from './stage.ts';
import { clockTime, counted, length, percent, shortName, type Style, table, wrap } from './text.ts';

/** One thing told: when, in virtual seconds, and the lines that tell it. */
export interface Beat {
  readonly at: number;
  readonly lines: readonly string[];
}

type Paint = 'cyan' | 'yellow' | 'magenta' | 'blue' | 'green' | 'red' | 'dim';

const TAG_WIDTH = 9;
const TIME_WIDTH = 9;
const INDENT = TIME_WIDTH + TAG_WIDTH;
/** Below this many columns, what belongs to a line stands under it and not beside it. */
export const NARROW = 72;
/** Things of one kind that happen so closely together, in seconds, are told together. */
const TOGETHER = { PodUnschedulable: 1, SizeSet: 1.5, NodeReady: 4 } as const;
const MOST_ROWS = 8;
/** With more groups than this, the bars of those that stand still are left out. */
const MOST_BARS = 3;

type BundledKind = keyof typeof TOGETHER;
type BundledEntry = Extract<Entry, { readonly kind: BundledKind }>;

/** Entries of one kind, waiting to be told together. */
interface Bundle {
  readonly since: number;
  readonly entries: Entry[];
}

/** Tells a recording in lines for people. */
export function tell(recording: Recording, style: Style): readonly Beat[] {
  const beats: Beat[] = [];
  const stage = createStage(recording.nodeGroups);
  const bundles = new Map<BundledKind, Bundle>();
  const workloads = createWorkloads();
  const launched = new Map<string, number>();
  const failing = new Set<string>();
  const said = new Set<string>();

  const say = (at: number, tag: string, paint: Paint, text: string, more: readonly string[] = []): void => {
    beats.push({ at, lines: [...head(at, tag, paint, text, style), ...more.map((line) => indent(style) + line)] });
  };

  const flush = (before: number): void => {
    for (const [kind, { since, entries }] of bundles) {
      if (since + TOGETHER[kind] <= before) {
        bundles.delete(kind);
        FLUSH[kind](since, entries);
      }
    }
  };

  const FLUSH: Readonly<Record<BundledKind, (since: number, entries: readonly Entry[]) => void>> = {
    PodUnschedulable: (since, entries) => {
      for (const [workload, own] of byWorkload(entries)) {
        say(since, 'pending', 'yellow', `${counted(own.length, 'pod')} of ${shortName(workload)}: ${messageOf(own)}`);
      }
    },
    SizeSet: (_since, entries) => {
      say(entries.at(-1)!.at, 'scale', 'magenta', sizesText(entries), zoneBars(stage, style));
    },
    NodeReady: (_since, entries) => {
      say(
        entries.at(-1)!.at,
        'nodes',
        'blue',
        readyText(entries, launched),
        isComplete(stage) ? zoneBars(stage, style) : [],
      );
    },
  };

  const bundle = (kind: BundledKind, entry: Entry): void => {
    const open = bundles.get(kind);
    if (open === undefined) {
      bundles.set(kind, { since: entry.at, entries: [entry] });
    } else {
      open.entries.push(entry);
    }
  };

  const onWorkload = (entry: Entry): void => {
    const news = workloads.advance(entry);
    if (news !== null) {
      flush(Number.POSITIVE_INFINITY);
      say(entry.at, news.tag, 'green', news.text);
    }
  };
  const onBundled = (entry: BundledEntry): void => bundle(entry.kind, entry);

  const onEntry: Handlers<void> = {
    Load: (entry) => {
      flush(Number.POSITIVE_INFINITY);
      workloads.load(entry);
      say(entry.at, 'load', 'cyan', loadText(entry));
    },
    PodUnschedulable: onBundled,
    SizeSet: onBundled,
    NodeReady: onBundled,
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
    NodeGone: ({ node, group, at }) => say(at, 'nodes', 'blue', `${node} of ${group} is gone`),
    Trouble: ({ level, message, at }) =>
      level === 'warn' ? say(at, 'warning', 'yellow', message) : say(at, 'error', 'red', message),
    PodCreated: onWorkload,
    PodRunning: onWorkload,
    PodFinished: onWorkload,
    PodDeleted: onWorkload,
  };

  for (const entry of recording.timeline) {
    // A decision is told after what it is about.
    flush(entry.kind === 'Decision' ? entry.at + TOGETHER.PodUnschedulable : entry.at);
    stage.advance(entry);
    handle(onEntry, entry);
  }
  flush(Number.POSITIVE_INFINITY);
  return beats.toSorted((a, b) => a.at - b.at);
}

const indent = ({ width }: Style): string => ' '.repeat(width < NARROW ? 4 : INDENT);

function head(at: number, tag: string, paint: Paint, text: string, style: Style): readonly string[] {
  const { colors, width } = style;
  const [first = '', ...rest] = wrap(text, Math.max(20, width - INDENT - 1));
  return [
    `${colors.dim(clockTime(at).padStart(TIME_WIDTH - 2))}  ${colors.bold(colors[paint](tag.padEnd(TAG_WIDTH)))}${first}`,
    ...rest.map((line) => ' '.repeat(INDENT) + line),
  ];
}

function byWorkload(entries: readonly Entry[]): ReadonlyMap<string, readonly Entry[]> {
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) {
    if ('workload' in entry) {
      groups.set(entry.workload, [...(groups.get(entry.workload) ?? []), entry]);
    }
  }
  return groups;
}

function messageOf(entries: readonly Entry[]): string {
  const last = entries.at(-1);
  return last?.kind === 'PodUnschedulable' ? last.message : '';
}

function loadText({ step, subject, count, before, requests, runsFor }: LoadEntry): string {
  const name = shortName(subject);
  const each = Object.entries(requests).map(([resource, amount]) =>
    resource === 'cpu' ? `${amount} CPU` : `${amount} ${resource}`,
  );
  const asking = each.length === 0 ? '' : ` of ${each.join(', ')}`;
  switch (step) {
    case 'deploy':
      return `Deployment ${name}: ${counted(count, 'pod')}${asking}`;
    case 'job':
      return `Job ${name}: ${counted(count, 'pod')}${asking}, each runs for ${length(runsFor ?? 0)}`;
    case 'scale':
      return `Deployment ${name} is scaled from ${before} to ${counted(count, 'pod')}${asking}`;
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

/** Every node that was asked for is there. */
const isComplete = ({ groups }: Stage): boolean => [...groups.values()].every(({ ready, desired }) => ready >= desired);

/** One bar for each group. */
function zoneBars({ groups }: Stage, { colors }: Style): readonly string[] {
  const all = [...groups.values()];
  const shown =
    all.length <= MOST_BARS ? all : all.filter(({ ready, desired }) => ready !== desired).slice(0, MOST_ROWS);
  const rows = shown.map(({ group, ready, desired }) => [
    group.name,
    colors.dim(zonesOf(group)),
    groupBar(ready, desired, group.maxSize, colors),
    `${Math.min(ready, desired)}${desired > ready ? colors.yellow(`+${desired - ready}`) : ''}`,
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
    const speed = waited === null ? '' : `, ${length(waited)} after the first one was pending`;
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
    sentences.push(`nothing is added: ${entry.result}`);
  }
  for (const stuck of unschedulable) {
    sentences.push(stuckText(stuck));
  }
  const skipped = entry.skippedGroups.map(({ group, reason }) => `${group} is left out: ${reason}`);
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
  const rows = ordered.slice(0, MOST_ROWS).map(({ group, nodes, pods, waste }) => {
    const wins = group === winner;
    const cells = [
      group,
      counted(nodes, 'node'),
      `${width < NARROW ? '' : 'for '}${counted(pods, 'pod')}`,
      `${percent(waste / 2)} unused`,
    ];
    return [wins ? colors.bold('▸') : ' ', ...cells.map((cell) => (wins ? colors.bold(cell) : colors.dim(cell)))];
  });
  const more = ordered.length - rows.length;
  const sharing =
    split.length > 1 ? `; split over ${counted(split.length, 'similar group')} to keep their sizes alike` : '';
  return [
    ...table(rows, ['left', 'left', 'right', 'right', 'right']),
    ...(more > 0 ? [colors.dim(`  and ${counted(more, 'group')} more`)] : []),
    ...wrap(`${why}${sharing}`, Math.max(20, width - INDENT - 3)).map((line) => `  ${colors.dim(line)}`),
  ];
}

interface News {
  readonly tag: string;
  readonly text: string;
}

interface Progress {
  wanted: number;
  readonly running: Set<string>;
  finished: number;
  /** The number of pods that was told of last. */
  told: number;
  readonly waits: number[];
}

/** Follows workloads, to tell when one is complete. */
function createWorkloads() {
  const progress = new Map<string, Progress>();
  const pendingSince = new Map<string, number>();
  const of = (workload: string): Progress => {
    const known = progress.get(workload) ?? { wanted: 0, running: new Set(), finished: 0, told: 0, waits: [] };
    progress.set(workload, known);
    return known;
  };
  const onEntry: Handlers<News | null> = {
    PodCreated: ({ pod, at }) => {
      pendingSince.set(pod, at);
      return null;
    },
    PodRunning: ({ pod, workload, at }) => {
      const one = of(workload);
      one.running.add(pod);
      one.waits.push(at - (pendingSince.get(pod) ?? at));
      if (one.running.size !== one.wanted || one.told === one.wanted) {
        return null;
      }
      one.told = one.wanted;
      const slowest = length(Math.max(...one.waits));
      return {
        tag: 'running',
        text: `all ${counted(one.wanted, 'pod')} of ${shortName(workload)} run; the slowest took ${slowest}`,
      };
    },
    PodFinished: ({ workload }) => {
      const one = of(workload);
      one.finished += 1;
      return one.finished === one.wanted
        ? { tag: 'done', text: `all ${counted(one.wanted, 'pod')} of ${shortName(workload)} have finished` }
        : null;
    },
    PodDeleted: ({ pod, workload }) => {
      of(workload).running.delete(pod);
      return null;
    },
  };
  return {
    load: ({ step, subject, count }: LoadEntry): void => {
      if (step === 'deploy' || step === 'job') {
        progress.delete(subject);
      }
      if (step !== 'capacity') {
        Object.assign(of(subject), { wanted: count, told: 0, waits: [] });
      }
    },
    advance: (entry: Entry): News | null => handle(onEntry, entry),
  };
}
