import { firstItem } from '@outrigger/core/model/values/existing.ts';
import { getOrMake } from '@outrigger/core/model/values/get-or-make.ts';
import { countBy } from '@outrigger/core/model/values/counts.ts';
import { counted, pluralOf } from '@outrigger/core/model/values/counted.ts';
import { byName } from '@outrigger/core/model/values/names.ts';
import type { Increase } from '@outrigger/core/model/decision.ts';
import { shortName, type Style } from '../../terminal/text.ts';
import type { TimelineEntry } from '@outrigger/simulation/recording/recording.ts';
import { textIf } from '@outrigger/core/model/values/optional.ts';
import { groupBars, isComplete } from './group-bars.ts';
import { type News, news } from './news.ts';
import type { Stage } from './stage.ts';

/** The context that the texts of bundles refer to. */
export interface BundleContext {
  readonly stage: Stage;
  readonly style: Style;
  /** When each instance was launched. */
  readonly launched: ReadonlyMap<string, number>;
  /** Instances that came from a warm pool. */
  readonly warm: ReadonlySet<string>;
  /** Names of taints and texts of decisions that have been shown. */
  readonly said: Set<string>;
}

interface BundleKind {
  /** Entries within this many seconds of the first are shown together. */
  readonly within: number;
  /** The entry whose time the news has. */
  readonly toldAt: 'first' | 'last';
  readonly news: (entries: readonly TimelineEntry[], context: BundleContext) => readonly News[];
}

export type BundleName = 'pending' | 'grow' | 'ready' | 'softTaint' | 'hardTaint' | 'untaint' | 'shrink' | 'gone';

/** Pods that the scheduler finds no node for within this many seconds are shown together. */
export const PENDING_SECONDS = 1;

const BUNDLES: Readonly<Record<BundleName, BundleKind>> = {
  pending: {
    within: PENDING_SECONDS,
    toldAt: 'first',
    news: (entries) =>
      [...podsByMessage(entries)].map(([message, pods]) => news('pending', 'yellow', `${pods.join(', ')}: ${message}`)),
  },
  grow: {
    within: 1.5,
    toldAt: 'last',
    news: (entries, { stage, style }) => [news('scale', 'magenta', sizesText(entries), groupBars(stage, style))],
  },
  ready: {
    within: 4,
    toldAt: 'last',
    news: (entries, { stage, style, ...instances }) => [
      news('nodes', 'blue', readyText(entries, instances), isComplete(stage) ? groupBars(stage, style) : []),
    ],
  },
  softTaint: { within: 3, toldAt: 'first', news: taintNews },
  hardTaint: { within: 3, toldAt: 'first', news: taintNews },
  untaint: {
    within: 3,
    toldAt: 'first',
    news: (entries) => [news('taint', 'yellow', `removed from ${nodesIn(entries)}`)],
  },
  shrink: { within: 12, toldAt: 'first', news: (entries) => [news('scale', 'magenta', sizesText(entries))] },
  gone: { within: 25, toldAt: 'last', news: (entries) => [news('gone', 'blue', goneText(entries))] },
};

/** Entries of one kind in close succession, to be shown together. */
export interface Bundles {
  readonly add: (name: BundleName, entry: TimelineEntry) => void;
  /** Shows the bundles that take no more entries at this time. */
  readonly flush: (before: number) => void;
}

/** @param say takes the news of a bundle that is complete. */
export function createBundles(context: BundleContext, say: (at: number, news: News) => void): Bundles {
  const open = new Map<BundleName, TimelineEntry[]>();
  return {
    add: (name, entry) => void getOrMake(open, name, () => []).push(entry),
    flush: (before) => {
      for (const [name, entries] of open) {
        const { within, toldAt, news: newsOf } = BUNDLES[name];
        if (firstItem(entries).at + within <= before) {
          open.delete(name);
          const at = entries.at(toldAt === 'first' ? 0 : -1)!.at;
          for (const one of newsOf(entries, context)) {
            say(at, one);
          }
        }
      }
    },
  };
}

/** The pods that the scheduler gives a message for, as `3 pods of web, 1 pod of api`; a workload's last message counts. */
function podsByMessage(entries: readonly TimelineEntry[]): ReadonlyMap<string, readonly string[]> {
  const workloads = new Map<string, { readonly pods: number; readonly message: string }>();
  for (const entry of entries) {
    if (entry.kind === 'PodUnschedulable') {
      const pods = (workloads.get(entry.workload)?.pods ?? 0) + 1;
      workloads.set(entry.workload, { pods, message: entry.message });
    }
  }
  const messages = new Map<string, string[]>();
  for (const [workload, { pods, message }] of workloads) {
    getOrMake(messages, message, () => []).push(`${counted(pods, 'pod')} of ${shortName(workload)}`);
  }
  return messages;
}

function sizesText(entries: readonly TimelineEntry[]): string {
  const changes = new Map<string, Increase>();
  for (const entry of entries) {
    if (entry.kind === 'SizeSet') {
      changes.set(entry.group, { ...entry, from: changes.get(entry.group)?.from ?? entry.from });
    }
  }
  return [...changes.values()]
    .sort((a, b) => byName(a.group, b.group))
    .map(({ group, from, to }) => `${group} ${from} → ${to}`)
    .join('   ');
}

function readyText(
  entries: readonly TimelineEntry[],
  { launched, warm }: Pick<BundleContext, 'launched' | 'warm'>,
): string {
  const ready = entries.filter((entry) => entry.kind === 'NodeReady');
  const times = ready.map(({ at, instance }) => at - (launched.get(instance) ?? at));
  const fastest = Math.round(Math.min(...times));
  const slowest = Math.round(Math.max(...times));
  const took = fastest === slowest ? `${slowest} s` : `${fastest}–${slowest} s`;
  const pooled = ready.filter(({ instance }) => warm.has(instance)).length;
  const ofThem = textIf(pooled !== entries.length, `${pooled} of them `);
  const from = textIf(pooled > 0, `, ${ofThem}from the warm pool`);
  return `${counted(entries.length, 'node')} ${pluralOf('is', entries.length, 'are')} ready, ${took} after launch${from}`;
}

function nodesIn(entries: readonly TimelineEntry[]): string {
  const named = entries.filter((entry) => 'node' in entry);
  return counted(new Set(named.map(({ node }) => node)).size, 'node');
}

/** The meaning of a taint, with its name the first time. */
function taintNews(entries: readonly TimelineEntry[], { said }: BundleContext): readonly News[] {
  const taints = entries.filter((entry) => entry.kind === 'NodeTainted').map(({ taint }) => taint);
  const names = [...new Set(taints.map(({ key, effect }) => `${key}:${effect}`))].filter((name) => !said.has(name));
  for (const name of names) {
    said.add(name);
  }
  const nodes = `${nodesIn(entries)}${names.map((name) => ` (${name})`).join('')}`;
  if (taints.some(({ effect }) => effect === 'PreferNoSchedule')) {
    return [news('taint', 'yellow', `soft taint on ${nodes}`)];
  }
  return [news('taint', 'yellow', `no more pods are scheduled to ${nodes}`)];
}

function goneText(entries: readonly TimelineEntry[]): string {
  const groups = countBy(
    entries.filter((entry) => entry.kind === 'NodeGone'),
    ({ group }) => group,
  );
  const each = [...groups].toSorted(([a], [b]) => byName(a, b)).map(([group, nodes]) => `${group} ${nodes}`);
  return `${counted(entries.length, 'instance')} terminated: ${each.join(', ')}`;
}
