import { getExisting } from '../model/values/existing.ts';
import type { HeldCapacity } from '../model/headroom.ts';
import type { HeadroomReport } from '../model/decision.ts';
import type { Pod } from '../model/cluster/pod.ts';
import type { NodeInfo } from '../model/snapshot/snapshot.ts';
import type { PodKind } from '../model/snapshot/pod-kind.ts';
import type { NodeName } from '../model/values/names.ts';
import { addCount, mapAt } from '../model/values/counts.ts';
import type { HeadroomRequest } from './virtual-pods.ts';

/** An object that asks for held capacity: its kind in Kubernetes, and its namespace and name. */
interface CapacityOwner {
  readonly source: HeadroomReport['source'] | 'ProvisioningRequest';
  readonly name: string;
}

interface KindPlacement {
  readonly kind: PodKind;
  readonly info: NodeInfo;
  readonly count: number;
}

/** Virtual pods of one owner on one node. */
export interface HeldPlace extends CapacityOwner {
  readonly info: NodeInfo;
  readonly count: number;
}

export const ownerText = ({ source, name }: CapacityOwner): string => `${source} ${name}`;

/**
 * The places of virtual pods among all places that were found. Of a kind that real pods have as well, the real pods
 * have the first places.
 *
 * @param demands with the pods of each kind in the order in which they get places.
 */
export function placesOf(
  wanted: readonly HeadroomRequest[],
  demands: readonly { readonly kind: PodKind; readonly pods: readonly Pod[] }[],
  placements: readonly KindPlacement[],
): readonly HeldPlace[] {
  const owners = new Map(wanted.map(({ source, name, pod }) => [pod, { source, name }]));
  if (owners.size === 0) {
    return [];
  }
  const podsOf = new Map(demands.map(({ kind, pods }) => [kind, pods]));
  const next = new Map<PodKind, number>();
  return placements.flatMap(({ kind, info, count }) => {
    const from = next.get(kind) ?? 0;
    next.set(kind, from + count);
    const counts = new Map<Pod, number>();
    for (const pod of podsOf.get(kind)?.slice(from, from + count) ?? []) {
      addCount(counts, pod);
    }
    return [...counts]
      .filter(([pod]) => owners.has(pod))
      .map(([pod, of]): HeldPlace => ({ ...getExisting(owners, pod), info, count: of }));
  });
}

/** The places by node. */
export function capacityHeldBy(places: readonly HeldPlace[]): HeldCapacity {
  const held = new Map<NodeName, Map<string, number>>();
  for (const place of places) {
    addCount(mapAt(held, place.info.name), ownerText(place), place.count);
  }
  return held;
}

/**
 * The number of virtual pods whose place is on a node that is not ready yet, by owner.
 *
 * @param ready existing, ready nodes
 */
export function countOnUpcomingNodes(
  places: readonly HeldPlace[],
  ready: ReadonlySet<NodeName>,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const place of places) {
    if (!ready.has(place.info.name)) {
      addCount(counts, ownerText(place), place.count);
    }
  }
  return counts;
}
