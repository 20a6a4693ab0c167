import { keyOf } from '../model/cluster/pod.ts';
import type { PodKey } from '../model/values/names.ts';
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
  const waiting = new Set(pods.filter((pod) => unplaced.has(keyOf(pod))).map(({ nodeName }) => nodeName));
  return replaced.filter(({ node }) => !waiting.has(node));
}
