import type { GroupName } from '../model/values/names.ts';
import type { HeldRoom } from '../model/headroom.ts';
import type { Snapshot } from '../model/snapshot/snapshot.ts';
import type { ClusterObjects } from '../model/scenario.ts';
import type { Scheduler } from './scheduler.ts';

/** The cluster as one decision leaves it to the next: with upcoming nodes, and pods on the nodes found for them. */
export interface SimulatedCluster {
  readonly snapshot: Snapshot;
  readonly scheduler: Scheduler;
  /** What of the cluster is on the snapshot. */
  readonly objects: ClusterObjects;
  /** What virtual pods keep of its nodes; absent: nothing. */
  readonly held?: HeldRoom;
  /** Similar groups that have nodes share a number; absent: groups are not balanced. */
  readonly similarSets?: ReadonlyMap<GroupName, number>;
}
