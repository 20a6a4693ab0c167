import type { ClusterName } from '@outrigger/core/model/values/names.ts';
import { snapshotText } from '@outrigger/core/words/snapshot-uses.ts';
import type { SnapshotsOfCluster } from '@outrigger/providers/kubernetes/access.ts';
import type { Services } from './services.ts';

/** Says of each list of a cold start in one line what has become of its snapshot, and counts. */
export const reportSnapshots = (
  { log, metrics }: Pick<Services, 'log' | 'metrics'>,
  cluster: ClusterName,
): Pick<SnapshotsOfCluster, 'used' | 'stored'> => ({
  used(list, use) {
    log.info(`${cluster}: ${snapshotText(list, use)}`, { list, snapshot: use });
    metrics.count(use === 'Used' ? 'SnapshotsUsed' : 'SnapshotsNotUsed', 1);
  },
  stored: () => metrics.count('SnapshotsStored', 1),
});
