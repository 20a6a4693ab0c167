import type { ClusterName } from '@outrigger/core/model/values/names.ts';
import type { DecisionHistory } from '@outrigger/core/ports/decision-history.ts';
import { createHistory } from '../history/history.ts';
import type { HistoryItems, StoredEntry } from '../history/items.ts';
import { getOrMake } from '@outrigger/core/model/values/get-or-make.ts';

/** Decisions of one cluster, at most: the oldest are forgotten first. */
const MOST_DECISIONS = 2_000;

interface ClusterHistory {
  /** The oldest first. */
  readonly entries: Map<string, StoredEntry>;
  readonly scenarios: Map<string, Uint8Array>;
  readonly spent: Map<number, number>;
}

/** A history for one process: compressed as in a table, and bounded as there. */
export const createMemoryHistory = (now: () => number = Date.now): DecisionHistory =>
  createHistory({ items: memoryItems(now), onUnreadable: () => {} });

/** The items of a history in memory. */
export function memoryItems(now: () => number): HistoryItems {
  const clusters = new Map<ClusterName, ClusterHistory>();
  const of = (cluster: ClusterName): ClusterHistory =>
    getOrMake(clusters, cluster, () => ({ entries: new Map(), scenarios: new Map(), spent: new Map() }));
  const alive = ({ ttl }: StoredEntry): boolean => ttl * 1_000 > now();
  return {
    lastStory: async (cluster, kind) =>
      [...of(cluster).entries.values()].findLast((entry) => entry.kind === kind && alive(entry))?.story ?? null,
    spend: async (cluster, { hour, bytes, most }, signal) => {
      signal?.throwIfAborted();
      const { spent } = of(cluster);
      const after = (spent.get(hour) ?? 0) + bytes;
      if (after > most) {
        return false;
      }
      spent.set(hour, after);
      return true;
    },
    put: async (cluster, entry, scenario, signal) => {
      signal?.throwIfAborted();
      const { entries, scenarios } = of(cluster);
      entries.delete(entry.id);
      entries.set(entry.id, entry);
      if (scenario === null) {
        scenarios.delete(entry.id);
      } else {
        scenarios.set(entry.id, scenario);
      }
      for (const [id, kept] of entries) {
        if (entries.size <= MOST_DECISIONS && alive(kept)) {
          break;
        }
        entries.delete(id);
        scenarios.delete(id);
      }
    },
    list: async (cluster, { since = -Infinity, until = Infinity, limit = Infinity }, signal) => {
      signal?.throwIfAborted();
      return [...of(cluster).entries.values()]
        .filter((entry) => alive(entry) && entry.at >= since && entry.at < until)
        .toReversed()
        .slice(0, limit);
    },
    get: async (cluster, id, signal) => {
      signal?.throwIfAborted();
      const entry = of(cluster).entries.get(id);
      return entry !== undefined && alive(entry) ? entry : null;
    },
    scenario: async (cluster, id, signal) => {
      signal?.throwIfAborted();
      return of(cluster).scenarios.get(id) ?? null;
    },
  };
}
