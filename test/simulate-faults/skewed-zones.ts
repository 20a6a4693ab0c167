import { type Node, ZONE_LABEL } from '../../core/model/cluster/node.ts';
import { isFinished, type Pod } from '../../core/model/cluster/pod.ts';
import type { NodeName } from '../../core/model/values/names.ts';
import type { GroupView } from '../../providers/simulated/auto-scaling.ts';
import type { SimulatedWorld } from '../../providers/simulated/world.ts';
import { type Pool, poolOfNode, SKEW_LABEL, type ZoneSkew } from './pools.ts';

/** The pods that kube-scheduler counts, by zone; a zone that is left out is no domain. */
export type Zones = ReadonlyMap<string, number>;

/** How many more pods a zone has than the emptiest one. */
export function skewOf(zone: string, zones: Zones, { minDomains }: ZoneSkew): number {
  const counts = [...zones.values()];
  const least = minDomains !== null && counts.length < minDomains ? 0 : Math.min(...counts);
  return zones.get(zone)! - least;
}

/** The pods of a pool that are spread over its zones, for each zone in which the pool has a node. */
export function podsByZone(pools: readonly Pool[], pool: Pool, nodes: Iterable<Node>, pods: Iterable<Pod>): Zones {
  const zoneOf = new Map<NodeName, string>();
  const counts = new Map<string, number>();
  for (const node of nodes) {
    if (poolOfNode(pools, node) === pool) {
      const zone = node.labels[ZONE_LABEL]!;
      zoneOf.set(node.name, zone);
      counts.set(zone, counts.get(zone) ?? 0);
    }
  }
  for (const pod of pods) {
    const zone = pod.nodeName === null ? undefined : zoneOf.get(pod.nodeName);
    if (zone !== undefined && isCounted(pod)) {
      counts.set(zone, counts.get(zone)! + 1);
    }
  }
  return counts;
}

/** kube-scheduler does not count pods that are terminating, or that have finished. */
const isCounted = (pod: Pod): boolean =>
  pod.labels[SKEW_LABEL] !== undefined && pod.deletedAt === null && !isFinished(pod);

/** Could a pending pod of the pool run on one more node of this group, which has one zone? */
export function wouldTake(
  { group: { zones: own } }: Pick<GroupView, 'group'>,
  pool: Pool,
  pools: readonly Pool[],
  { api }: Pick<SimulatedWorld, 'api'>,
): boolean {
  if (pool.skew === undefined) {
    return true;
  }
  const zones = podsByZone(pools, pool, api.nodes.values(), api.pods.values());
  const zone = own[0]!;
  return skewOf(zone, new Map([...zones, [zone, (zones.get(zone) ?? 0) + 1]]), pool.skew) <= pool.skew.maxSkew;
}
