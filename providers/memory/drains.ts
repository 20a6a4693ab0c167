import { byName, type ClusterName } from '@outrigger/core/model/values/names.ts';
import type { StoredDrain } from '@outrigger/core/model/drain.ts';
import type { DrainStore } from '@outrigger/core/ports/drain-store.ts';
import { frozenCopy } from './frozen-copy.ts';
import { getOrMake } from '@outrigger/core/model/values/get-or-make.ts';

/** Drains of one process: `outrigger local`, simulations, tests. It stores and returns frozen copies. */
export function createMemoryDrains(): DrainStore {
  const clusters = new Map<ClusterName, Map<string, StoredDrain>>();
  const of = (cluster: ClusterName): Map<string, StoredDrain> => getOrMake(clusters, cluster, () => new Map());
  return {
    list: async (cluster, signal) => {
      signal?.throwIfAborted();
      return [...of(cluster).values()].toSorted((a, b) => byName(a.drain.id, b.drain.id));
    },
    load: async (cluster, id, signal) => {
      signal?.throwIfAborted();
      return of(cluster).get(id) ?? null;
    },
    create: async (cluster, change, signal) => {
      signal?.throwIfAborted();
      const drains = of(cluster);
      if (!drains.has(change.drain.id)) {
        drains.set(change.drain.id, frozenCopy({ ...change, revision: 1 }));
      }
    },
    save: async (cluster, change, revision, signal) => {
      signal?.throwIfAborted();
      const drains = of(cluster);
      if (drains.get(change.drain.id)?.revision !== revision) {
        return null;
      }
      const next = frozenCopy({ ...change, revision: revision + 1 });
      drains.set(change.drain.id, next);
      return next;
    },
    remove: async (cluster, ids, signal) => {
      signal?.throwIfAborted();
      for (const id of ids) {
        of(cluster).delete(id);
      }
    },
  };
}
