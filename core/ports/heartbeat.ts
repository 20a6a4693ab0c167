import type { ClusterName } from '../model/values/names.ts';

/** Signs of life of the process that runs a cluster, where the stored state outlives the process. */
export interface Heartbeat {
  /** The last sign of life, as a text that no other one has; `null` before the first. */
  last(cluster: ClusterName, signal?: AbortSignal): Promise<string | null>;
  /** Gives a sign of life. */
  beat(cluster: ClusterName, signal?: AbortSignal): Promise<void>;
}
