import type { ClusterName } from '@outrigger/core/model/values/names.ts';
import type { DiscoverySpec } from '../../schema/cluster-api-discovery.ts';
import type { CapiCluster, ScalableResource } from '../api/objects.ts';

/** Whose node groups are looked for. */
export interface DiscoveryScope {
  /** The cluster whose nodes the Machines become. */
  readonly cluster: ClusterName;
  /** Whether the resources are in another cluster than the nodes. */
  readonly inManagementCluster: boolean;
}

/**
 * The specifications to apply. Without a setting a cluster that has resources of its own alone has all of them as node groups. A
 * management cluster has resources of other clusters and other teams: only those of the Cluster with the cluster's name count.
 * The oldest Cluster of that name decides the namespace, as anybody may create a later one in another namespace.
 *
 * @param clusters all Clusters beside the resources; the known Clusters, if only one resource is read
 */
export function discoveryIn(
  set: readonly DiscoverySpec[],
  { cluster, inManagementCluster }: DiscoveryScope,
  clusters: readonly CapiCluster[],
): readonly DiscoverySpec[] {
  if (set.length > 0 || (!inManagementCluster && clusters.length <= 1)) {
    return set;
  }
  const [own] = clusters.filter(({ name }) => name === cluster).sort(byAge);
  return [{ namespace: own?.namespace ?? null, clusterName: cluster, labels: {} }];
}

const byAge = (a: CapiCluster, b: CapiCluster): number =>
  (a.createdAt ?? Infinity) - (b.createdAt ?? Infinity) || (a.namespace < b.namespace ? -1 : 1);

/**
 * Whether a resource is discovered: one of the specifications holds in all its parts. Without specifications every
 * resource is.
 */
export const isDiscovered = (resource: ScalableResource, specs: readonly DiscoverySpec[]): boolean =>
  specs.length === 0 || specs.some((spec) => holds(resource, spec));

const holds = (resource: ScalableResource, { namespace, clusterName, labels }: DiscoverySpec): boolean =>
  (namespace === null || namespace === resource.namespace) &&
  (clusterName === null || clusterName === resource.clusterName) &&
  Object.entries(labels).every(([key, value]) => resource.labels[key] === value);

/** The namespace of all specifications, if they have only one: no right to read other namespaces is needed. */
export function onlyNamespace(specs: readonly DiscoverySpec[]): string | null {
  const [first, ...others] = new Set(specs.map(({ namespace }) => namespace));
  return others.length === 0 ? (first ?? null) : null;
}
