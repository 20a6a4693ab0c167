import type { ClusterName } from '../model/values/names.ts';

/** The input of a driver of drains. */
export interface DrainRequest {
  readonly cluster: ClusterName;
  readonly ids: readonly string[];
  readonly attempt: number;
}

/** A driver of drains between two rounds, as JSON: the content of `left` is the driver's own. */
export interface DrainStep extends DrainRequest {
  /** Absent at its start. */
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
  /** Has a driver that takes one round at a time go on after some time, in milliseconds. */
  readonly continueDrains: (step: DrainStep, waitMs: number) => Promise<void>;
  /** Has scale-down evaluate a cluster before its next scan, and does not wait for it. */
  readonly startScaleDown: (cluster: ClusterName) => Promise<void>;
}
