import type { ClusterName } from '../model/values/names.ts';

/** What a driver of drains is started with. */
export interface DrainRequest {
  readonly cluster: ClusterName;
  readonly ids: readonly string[];
  readonly attempt: number;
}

/** Starts other functions. */
export interface Executions {
  /**
   * Starts a driver for drains that are in the store, and does not wait for it. One driver for several nodes is for
   * those that are empty.
   *
   * @param attempt the number of this driver: started twice with the same number it is one driver.
   */
  readonly startDrains: (cluster: ClusterName, ids: readonly string[], attempt: number) => Promise<void>;
  /** Has scale-down evaluate a cluster before its next tick, and does not wait for it. */
  readonly startScaleDown: (cluster: ClusterName) => Promise<void>;
}
