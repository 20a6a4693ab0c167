import { readable } from '../model/fault.ts';
import { keyOf } from '../model/cluster/pod.ts';
import type { NodeName, PodKey } from '../model/values/names.ts';
import type { ClusterObjects } from '../model/scenario.ts';
import type { Departure } from './departures.ts';

/**
 * The nodes that are replaced ahead of time whose pods all have a place on ready nodes: launched for them, or existing.
 *
 * @param unplaced the pods without such a place.
 */
export function readyToLeave(
  replaced: readonly Departure[],
  { pods }: Pick<ClusterObjects, 'pods'>,
  unplaced: ReadonlySet<PodKey>,
): readonly Departure[] {
  const waiting = new Set<NodeName | null>(
    pods.map((pod) => readable(() => (pod.nodeName !== null && unplaced.has(keyOf(pod)) ? pod.nodeName : null), null)),
  );
  return replaced.filter(({ node }) => !waiting.has(node));
}
