import type { Pause } from '../model/pause.ts';
import type { ClusterName, GroupName } from '../model/values/names.ts';

/** Pauses of `outrigger pause`; `StateStore.load` returns them, too. */
export interface PauseStore {
  /** All that have not ended, by scope. */
  pauses(cluster: ClusterName, signal?: AbortSignal): Promise<readonly Pause[]>;
  /** Stores a pause, in the place of an earlier one of the same part and node group. */
  addPause(cluster: ClusterName, pause: Omit<Pause, 'source'>, signal?: AbortSignal): Promise<void>;
  /**
   * Takes pauses back, unreadable ones included; none is no error.
   *
   * @param group pauses of this node group alone; `null`: all pauses
   * @returns the number of removed pauses
   */
  removePauses(cluster: ClusterName, group: GroupName | null, signal?: AbortSignal): Promise<number>;
}
