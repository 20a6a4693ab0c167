import { getExisting, itemAt } from '../model/values/existing.ts';
import { addCount } from '../model/values/counts.ts';
import { ZONE_LABEL } from '../model/cluster/node.ts';
import { heldInstances, type NodeGroup } from '../model/node-group.ts';
import type { RemovalCandidate } from './unneeded.ts';

/**
 * The nodes with those of one group in such an order that the next to go is always of the zone in which the group has
 * most. An Auto Scaling group that is left with uneven zones evens them by itself (AZRebalance): it ends an instance
 * that was never drained. Nodes keep their order where zones are even, and each group keeps the places that it has
 * among the others.
 *
 * @param nodes alike but for their zones: each of them may go now, and as well as any other of its group.
 */
export function withEvenZones(nodes: readonly RemovalCandidate[]): readonly RemovalCandidate[] {
  const ordered = new Map<NodeGroup, Iterator<RemovalCandidate>>();
  for (const [group, own] of Map.groupBy(nodes, ({ candidate }) => candidate.group)) {
    ordered.set(group, fullestFirst(own, zonesOf(group)).values());
  }
  return nodes.map(({ candidate: { group } }) => getExisting(ordered, group).next().value!);
}

/** Number of instances in each zone. */
function zonesOf(group: NodeGroup): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { zone } of heldInstances(group)) {
    if (zone !== null) {
      addCount(counts, zone);
    }
  }
  return counts;
}

function fullestFirst(nodes: readonly RemovalCandidate[], counts: Map<string, number>): readonly RemovalCandidate[] {
  if (counts.size < 2 || nodes.length < 2) {
    return nodes;
  }
  const rest = [...nodes];
  return nodes.map(() => {
    const fullness = (one: RemovalCandidate): number => counts.get(zoneOf(one)) ?? 0;
    let best = 0;
    for (let i = 1; i < rest.length; i += 1) {
      if (fullness(itemAt(rest, i)) > fullness(itemAt(rest, best))) {
        best = i;
      }
    }
    const [next] = rest.splice(best, 1);
    counts.set(zoneOf(next!), fullness(next!) - 1);
    return next!;
  });
}

const zoneOf = ({ candidate: { node } }: RemovalCandidate): string => node.labels[ZONE_LABEL] ?? '';
