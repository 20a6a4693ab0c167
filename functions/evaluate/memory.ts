import type { ClusterName } from '@outrigger/core/model/values/names.ts';

/** The memory of a sandbox about each cluster. Lost with the sandbox, which costs a few evaluations. */
export interface Memory<T> {
  readonly of: (cluster: ClusterName) => T;
  readonly keep: (cluster: ClusterName, value: T) => void;
}

/** @param first what is remembered of a cluster before anything was kept */
export function createMemory<T>(first: T): Memory<T> {
  const byCluster = new Map<ClusterName, T>();
  return {
    of: (cluster) => byCluster.get(cluster) ?? first,
    keep: (cluster, value) => void byCluster.set(cluster, value),
  };
}
