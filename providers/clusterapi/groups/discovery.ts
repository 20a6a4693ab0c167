import type { DiscoverySpec } from '../../schema/cluster-api-discovery.ts';
import type { ScalableResource } from '../api/objects.ts';

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

/** The only namespace that is looked at, where there is one: no right to read the others is needed. */
export function onlyNamespace(specs: readonly DiscoverySpec[]): string | null {
  const [first, ...others] = new Set(specs.map(({ namespace }) => namespace));
  return others.length === 0 ? (first ?? null) : null;
}
