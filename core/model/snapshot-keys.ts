import type { ClusterName } from './values/names.ts';

/** What the keys of a cluster's snapshots begin with: the evaluations have rights to these alone. */
export const snapshotPrefix = (cluster: ClusterName): string => `lists/${cluster}/`;
