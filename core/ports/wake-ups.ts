import type { ClusterName } from '../model/values/names.ts';
import type { EpochMs } from '../model/values/time.ts';

/** The queue of wake-ups: one at a time for each cluster. */
export interface WakeUps {
  /**
   * Puts a wake-up into the queue: the cluster is to be evaluated, nothing more.
   *
   * @param attempt 0 (the default) for a webhook notification; n for the n-th recheck after one (core/wakeups).
   */
  readonly wake: (cluster: ClusterName, attempt?: number) => Promise<void>;
  /** Puts a wake-up into the queue for a node that awaits its pods and is ready for them (`plannedPlacement`). */
  readonly wakeForReadyNode: (cluster: ClusterName) => Promise<void>;
  /** Puts a wake-up into the queue that is not put off, however many there were lately: something is urgent. */
  readonly wakeAtOnce: (cluster: ClusterName) => Promise<void>;
  /**
   * Puts a wake-up for a time within the next minute into the queue; many for the same second are one.
   *
   * @param attempt as for `wake`.
   */
  readonly wakeAt: (cluster: ClusterName, due: EpochMs, attempt?: number) => Promise<void>;
  /** After a scan of the schedule: puts the scans until the next one into the queue, where they are to be less than a minute apart. */
  readonly scanUntilNext: (cluster: ClusterName) => Promise<void>;
  /** Has the queue deliver a failed message again after this time, rather than after its visibility timeout. */
  readonly redeliverAfter: (receiptHandle: string, seconds: number) => Promise<void>;
}
