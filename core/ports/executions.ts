import type { ClusterName } from '../model/values/names.ts';

/** What a driver of drains is started with. */
export interface DrainRequest {
  readonly cluster: ClusterName;
  readonly ids: readonly string[];
  readonly attempt: number;
}

/** A driver of drains between two rounds, as JSON: what it goes on with is its own. */
export interface DrainStep extends DrainRequest {
  /** Absent at its start. */
  readonly left?: readonly unknown[];
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
  /** Has a driver that takes one round at a time go on after some time, in milliseconds. */
  readonly continueDrains: (step: DrainStep, waitMs: number) => Promise<void>;
  /** Has scale-down evaluate a cluster before its next tick, and does not wait for it. */
  readonly startScaleDown: (cluster: ClusterName) => Promise<void>;
}
