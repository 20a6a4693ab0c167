import type { SnapshotUse } from '../../core/model/snapshot-use.ts';
import type { ClusterName } from '../../core/model/values/names.ts';
import { snapshotText } from '../../core/words/snapshot-uses.ts';
import type { World } from './world.ts';

/** What is told of snapshots of kept lists. */
export interface SnapshotReports {
  /** Of a list that this process has read for the first time (`pods`): what has become of its snapshot. */
  readonly used: (list: string, use: SnapshotUse) => void;
  /** A snapshot was stored. */
  readonly stored: () => void;
}

/** Says of each list of a cold start in one line what has become of its snapshot, and counts. */
export const reportSnapshots = (
  { log, metrics }: Pick<World, 'log' | 'metrics'>,
  cluster: ClusterName,
): SnapshotReports => ({
  used(list, use) {
    log.info(`${cluster}: ${snapshotText(list, use)}`, { list, snapshot: use });
    metrics.count(use === 'Used' ? 'SnapshotsUsed' : 'SnapshotsNotUsed', 1);
  },
  stored: () => metrics.count('SnapshotsStored', 1),
});
