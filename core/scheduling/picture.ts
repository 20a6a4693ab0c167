import type { Snapshot } from '../model/snapshot/snapshot.ts';
import type { ClusterObjects } from '../model/scenario.ts';
import type { Scheduler } from './scheduler.ts';

/** A cluster as a decision leaves it to the next: nodes on their way and pods that have found their place included. */
export interface Picture {
  readonly snapshot: Snapshot;
  readonly scheduler: Scheduler;
  /** What of the cluster is on the snapshot. */
  readonly objects: ClusterObjects;
}
