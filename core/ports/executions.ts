import type { ClusterName } from '../model/values/names.ts';

/** A round of a driver of drains, as JSON. */
export interface DrainRound {
  readonly cluster: ClusterName;
  readonly ids: readonly string[];
  readonly attempt: number;
  /** The drains that are left, in a form of the driver's own; absent in the first round. */
  readonly left?: readonly unknown[];
}

/** Starts other functions. */
export interface Executions {
  /**
   * Starts a driver for drains that are in the store, and does not wait for it. A driver for several drains is for
   * empty nodes only.
   *
   * @param attempt the number of this driver: two starts with the same number are one driver.
   */
  readonly startDrains: (cluster: ClusterName, ids: readonly string[], attempt: number) => Promise<void>;
  /** Has a driver begin its next round after some time, in milliseconds. */
  readonly continueDrains: (round: DrainRound, waitMs: number) => Promise<void>;
  /** Has scale-down evaluate a cluster before its next scan, and does not wait for it. */
  readonly startScaleDown: (cluster: ClusterName) => Promise<void>;
}
