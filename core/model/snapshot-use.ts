/** The result of loading the snapshot of a list that a process reads for the first time. */
export type SnapshotUse =
  | 'Used'
  | 'NoSnapshot'
  | 'TooOld'
  | 'OtherVersion'
  | 'OtherCluster'
  | 'Damaged'
  | 'Unreadable'
  | 'Late'
  | 'Expired'
  | 'TooManyChanges'
  | 'WatchFailed'
  | 'Compared';
