import { FILL_TAINTS } from '../model/cluster/fill-taints.ts';
import type { Node } from '../model/cluster/node.ts';
import { isLeaving, isPassingTaint } from '../model/cluster/node-condition.ts';
import { groupOption, type NodeGroup } from '../model/node-group.ts';
import type { Options } from '../model/options.ts';
import { byName, type NodeName } from '../model/values/names.ts';

/** The share of the nodes that bear at least one taint; half as many bear two, a quarter as many all three. */
const MARKED = 0.75;

/**
 * How many of `FILL_TAINTS` nodes bear where their groups are filled by age: of four nodes the oldest one none, then the more the
 * younger they are. Nodes that other pods are kept from by their taints have an order of their own.
 *
 * Nodes that are filled last are removed first: pods are scheduled to nodes that will stay anyway, so that nodes
 * launched for a burst become empty. Where pods cannot be moved, such as pods of Jobs, the order decides how many nodes
 * they keep.
 */
export function fillOrder(
  nodes: readonly Node[],
  groupOf: (node: Node) => NodeGroup | undefined,
  options: Options,
): ReadonlyMap<NodeName, number> {
  const filled = nodes.filter((node) => {
    const group = groupOf(node);
    return group !== undefined && !isLeaving(node) && groupOption(options, group, 'fillOldestNodesFirst');
  });
  const ranks = new Map<NodeName, number>();
  for (const alike of Map.groupBy(filled, keptFor).values()) {
    const youngest = alike.toSorted((a, b) => (b.createdAt ?? 0) - (a.createdAt ?? 0) || byName(a.name, b.name));
    youngest.forEach(({ name }, place) => {
      const rank = FILL_TAINTS.filter((_, taint) => place < Math.floor((youngest.length * MARKED) / 2 ** taint)).length;
      ranks.set(name, rank);
    });
  }
  return ranks;
}

/** Tells nodes apart that are kept for some pods by their taints. */
const keptFor = ({ taints }: Node): string =>
  taints
    .filter(({ key, effect }) => effect !== 'PreferNoSchedule' && !isPassingTaint(key))
    .map(({ key, value, effect }) => `${key}=${value}:${effect}`)
    .sort()
    .join(',');
