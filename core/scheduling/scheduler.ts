import { about, faultOf } from '../model/fault.ts';
import type { ClusterObjects } from '../model/scenario.ts';
import { NO_TIME_LIMIT, type TimeLimit } from '../model/time-limit.ts';
import type { PodKind } from '../model/snapshot/pod-kind.ts';
import type { NodeInfo, Snapshot } from '../model/snapshot/snapshot.ts';
import { CountTable } from './counts/count-table.ts';
import { type KindFilter, type Plugin, rejection, type Rejection, unlimited } from './plugin.ts';
import { PLUGINS } from './plugins.ts';

/** kube-scheduler's verdicts about the nodes of one snapshot. */
export interface Scheduler {
  /**
   * Would the scheduler let a pod of this kind onto this node now?
   *
   * @returns `null`: yes; else the plugin that says no, with kube-scheduler's reasons. Rejections are shared: compare
   *   or copy them, do not keep them as keys.
   */
  readonly check: (kind: PodKind, info: NodeInfo) => Rejection | null;
  /** How many pods of this kind fit on this node now, at most `wanted`, one after another. */
  readonly room: (kind: PodKind, info: NodeInfo, wanted: number) => number;
  /** Why no node at all will do for pods of this kind, whatever it is like: a claim of theirs is missing, say. */
  readonly everywhere: (kind: PodKind) => Rejection | null;
  /** Number of scheduler checks that a check of this kind counts as, by the present terms. */
  readonly cost: (kind: PodKind) => number;
  /** May pods of this kind fit on nodes that have less free than they request? */
  readonly preempts: (kind: PodKind) => boolean;
  /** Is the time of the evaluation used up? */
  readonly isTimeUp: () => boolean;
}

/** Terms of affinity and topology spread in a check that counts as one; nearly every check has fewer. */
const TERMS_OF_A_CHECK = 16;

/** The verdict of all plugins about one kind. */
interface KindVerdict {
  readonly everywhere: Rejection | null;
  readonly narrowings: readonly NonNullable<KindFilter['only']>[];
  readonly narrowed: Rejection;
  readonly filters: readonly KindFilter[];
  /** Filters that may answer differently for a second pod of the kind. */
  readonly limiting: readonly KindFilter[];
  readonly terms: readonly NonNullable<KindFilter['terms']>[];
}

/** A plugin, prepared for the snapshot. */
interface PreparedPlugin {
  readonly name: Plugin['name'];
  readonly compile: ReturnType<Plugin['prepare']>;
}

/** A scheduler for a snapshot; it stays right while the snapshot changes. */
export function createScheduler(
  snapshot: Snapshot,
  objects: ClusterObjects,
  plugins: readonly Plugin[] = PLUGINS,
  limit: TimeLimit = NO_TIME_LIMIT,
): Scheduler {
  const counts = new CountTable(snapshot);
  const prepared = plugins.map((plugin): PreparedPlugin => ({
    name: plugin.name,
    compile: plugin.prepare({ snapshot, objects, counts }),
  }));
  const byKind: (KindVerdict | undefined)[] = [];
  const verdictOf = (kind: PodKind): KindVerdict => (byKind[kind.id] ??= verdictOn(kind, prepared));
  return {
    check: (kind, info) => {
      try {
        return judge(verdictOf(kind), info);
      } catch (error) {
        throw faultOf(error, { kind: 'pods', of: kind });
      }
    },
    room: (kind, info, wanted) => {
      try {
        return roomFor(verdictOf(kind), info, wanted);
      } catch (error) {
        throw faultOf(error, { kind: 'pods', of: kind });
      }
    },
    everywhere: (kind) => about({ kind: 'pods', of: kind }, () => verdictOf(kind).everywhere),
    cost: (kind) => costOf(byKind[kind.id]),
    preempts: () => false,
    isTimeUp: limit.isUp,
  };
}

function verdictOn(kind: PodKind, plugins: readonly PreparedPlugin[]): KindVerdict {
  const filters: KindFilter[] = [];
  const narrowings: NonNullable<KindFilter['only']>[] = [];
  const narrowedBy: string[] = [];
  let everywhere: Rejection | null = null;
  for (const plugin of plugins) {
    const filter = plugin.compile(kind);
    if (filter !== null) {
      filters.push(filter);
      // All of PreFilter comes before any Filter: a missing claim is reported on tainted nodes too.
      everywhere ??= filter.everywhere ?? null;
      if (filter.only !== undefined) {
        narrowings.push(filter.only);
        narrowedBy.push(plugin.name);
      }
    }
  }
  const narrowed = rejection('NodeAffinity', `node(s) didn't satisfy plugin(s) [${narrowedBy.join(' ')}]`);
  return {
    everywhere,
    narrowings,
    narrowed,
    filters,
    limiting: filters.filter(({ room }) => room !== unlimited),
    terms: filters.flatMap(({ terms }) => terms ?? []),
  };
}

/** @param verdict absent for a kind without a check so far. */
function costOf(verdict: KindVerdict | undefined): number {
  if (verdict === undefined) {
    return 1;
  }
  const { terms } = verdict;
  let sum = 0;
  for (let i = 0; i < terms.length; i++) {
    sum += terms[i]!();
  }
  return 1 + Math.floor(sum / TERMS_OF_A_CHECK);
}

function judge(verdict: KindVerdict, info: NodeInfo): Rejection | null {
  if (verdict.everywhere !== null) {
    return verdict.everywhere;
  }
  const { narrowings, filters } = verdict;
  for (let i = 0; i < narrowings.length; i++) {
    if (!narrowings[i]!.has(info.name)) {
      return verdict.narrowed;
    }
  }
  for (let i = 0; i < filters.length; i++) {
    const no = filters[i]!.node(info);
    if (no !== null) {
      return no;
    }
  }
  return null;
}

function roomFor(verdict: KindVerdict, info: NodeInfo, wanted: number): number {
  if (judge(verdict, info) !== null) {
    return 0;
  }
  const { limiting } = verdict;
  let most = wanted;
  for (let i = 0; i < limiting.length; i++) {
    most = Math.min(most, limiting[i]!.room(info));
  }
  return most;
}
