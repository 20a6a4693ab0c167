import type { StoredDrain } from '../../core/model/drain.ts';
import type { DrainStore } from '../../core/ports/drain-store.ts';

/** A drain has been stored; `before` is `null` for a new one. */
export type OnDrain = (stored: StoredDrain, before: StoredDrain | null) => void;

/** A drain store that can be read at any moment. */
export interface WatchedDrains extends DrainStore {
  /** Drains that it holds now. */
  readonly all: () => readonly StoredDrain[];
}

/** Puts a window into a store of one cluster's drains. */
export function watchedDrains(store: DrainStore, onDrain: OnDrain): WatchedDrains {
  const known = new Map<string, StoredDrain>();
  const note = (stored: StoredDrain): void => {
    const before = known.get(stored.drain.id) ?? null;
    known.set(stored.drain.id, stored);
    onDrain(stored, before);
  };
  return {
    ...store,
    all: () => [...known.values()],
    create: async (cluster, change) => {
      await store.create(cluster, change);
      if (!known.has(change.drain.id)) {
        note({ ...change, revision: 1 });
      }
    },
    save: async (cluster, change, revision) => {
      const saved = await store.save(cluster, change, revision);
      if (saved !== null && saved !== 'too large') {
        note(saved);
      }
      return saved;
    },
    remove: async (cluster, ids) => {
      await store.remove(cluster, ids);
      for (const id of ids) {
        known.delete(id);
      }
    },
  };
}
