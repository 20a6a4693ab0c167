import { type ClusterName, clusterName } from './values/names.ts';

// Keys of the table that are used outside its store: the functions' permissions, the stream's filter, and the reader of
// the stream's records.

const PARTITION_PREFIX = 'CLUSTER#';

/** Sort keys of intents begin with it. */
export const INTENT_PREFIX = 'INTENT#';

/** Sort keys of events that have arrived and are not assigned to the cluster's instances yet begin with it. */
export const ARRIVED_PREFIX = 'ARRIVED#';

/** The partition that contains all of a cluster's items. */
export const partitionOf = (cluster: ClusterName): string => `${PARTITION_PREFIX}${cluster}`;

/** The cluster of a partition; `null` for a key of another form. */
export const clusterOfPartition = (partition: string): ClusterName | null =>
  partition.startsWith(PARTITION_PREFIX) ? clusterName(partition.slice(PARTITION_PREFIX.length)) : null;
