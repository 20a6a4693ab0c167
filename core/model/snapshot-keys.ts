import type { ClusterName } from './values/names.ts';

/** The prefix of the keys of a cluster's snapshots: the evaluations have rights to these keys alone. */
export const snapshotPrefix = (cluster: ClusterName): string => `lists/${cluster}/`;
