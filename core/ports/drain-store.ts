import type { Drain, StoredDrain } from '../model/drain.ts';
import type { ClusterName } from '../model/values/names.ts';
import type { EpochMs } from '../model/values/time.ts';

export interface DrainChange {
  readonly drain: Drain;
  readonly attempt: number;
  readonly drivenUntil: EpochMs;
}

/** The stored drains. */
export interface DrainStore {
  /** All of a cluster, those that have ended too, by id. */
  list(cluster: ClusterName, signal?: AbortSignal): Promise<readonly StoredDrain[]>;
  load(cluster: ClusterName, id: string, signal?: AbortSignal): Promise<StoredDrain | null>;
  /** Stores a new drain, as revision 1; an existing drain stays as it is. */
  create(cluster: ClusterName, change: DrainChange, signal?: AbortSignal): Promise<void>;
  /**
   * Changes a drain from the revision that was read; `null` when another driver has changed or removed it. `too large`:
   * nothing was changed, and this drain never can be stored.
   */
  save(
    cluster: ClusterName,
    change: DrainChange,
    revision: number,
    signal?: AbortSignal,
  ): Promise<StoredDrain | 'too large' | null>;
  /** Forgets ended drains whose outcome is in the state by now; those that are gone already are no error. */
  remove(cluster: ClusterName, ids: readonly string[], signal?: AbortSignal): Promise<void>;
}
