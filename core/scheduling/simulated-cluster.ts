import type { GroupName } from '../model/values/names.ts';
import type { HeldCapacity } from '../model/headroom.ts';
import type { Snapshot } from '../model/snapshot/snapshot.ts';
import type { ClusterObjects } from '../model/scenario.ts';
import type { Scheduler } from './scheduler.ts';

/** The cluster as one decision leaves it to the next: with upcoming nodes, and pods on the nodes found for them. */
export interface SimulatedCluster {
  readonly snapshot: Snapshot;
  readonly scheduler: Scheduler;
  /** The objects of the cluster that are on the snapshot. */
  readonly objects: ClusterObjects;
  /** Capacity of the nodes that virtual pods hold; absent: none. */
  readonly held?: HeldCapacity;
  /** Similar groups that have nodes share a number; absent: groups are not balanced. */
  readonly similarSets?: ReadonlyMap<GroupName, number>;
}
