import { readable } from '../model/fault.ts';
import { keyOf } from '../model/cluster/pod.ts';
import type { NodeName, PodKey } from '../model/values/names.ts';
import type { ClusterObjects } from '../model/scenario.ts';
import type { Departure } from './departures.ts';

/**
 * The nodes that are replaced ahead of time whose pods all have a place on ready nodes: launched for them, or existing.
 */
export function readyToLeave(
  replaced: readonly Departure[],
  { pods }: Pick<ClusterObjects, 'pods'>,
  { homeless }: { readonly homeless: () => ReadonlySet<PodKey> },
): readonly Departure[] {
  if (replaced.length === 0) {
    return replaced;
  }
  const without = homeless();
  const waiting = new Set<NodeName | null>(
    pods.map((pod) => readable(() => (pod.nodeName !== null && without.has(keyOf(pod)) ? pod.nodeName : null), null)),
  );
  return replaced.filter(({ node }) => !waiting.has(node));
}
