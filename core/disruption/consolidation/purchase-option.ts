import { INSTANCE_TYPE_LABEL, type Node } from '../../model/cluster/node.ts';
import type { NodeGroup } from '../../model/node-group.ts';
import { capacityTypeOf } from '../../registry/shortages.ts';
import { presentItems } from '../../model/values/optional.ts';

/**
 * The purchase option of a node: `spot`, `on-demand` …; `unknown` where neither the labels nor the group say, as
 * in a group with several options.
 */
export const purchaseOptionOf = ({ labels }: Pick<Node, 'labels'>, { capacityType }: NodeGroup): string =>
  capacityTypeOf(labels) ?? capacityType ?? 'unknown';

/**
 * Do purchase options allow replacing a node by one of another group? A node of the same option may, an on-demand node
 * whatever the option, if it is cheaper at all, and a Spot node in place of an on-demand one, where `reasonAgainstSpot` finds
 * nothing against it. A Spot node is not replaced by a node of a group with fewer instance types: the cheapest of few types
 * are interrupted first. Follows Karpenter, which asks for 15 types, and has no groups.
 *
 * @param by a new node of the other group.
 */
export function mayReplace(node: Node, group: NodeGroup, by: Node, other: NodeGroup): boolean {
  if (group.name === other.name) {
    return true;
  }
  const option = purchaseOptionOf(node, group);
  const others = purchaseOptionOf(by, other);
  if (others === 'on-demand') {
    return !PAID_ANYWAY.has(option);
  }
  if (option === 'on-demand' && others === 'spot') {
    return isOnDemandGroup(group);
  }
  return option === others && (option !== 'spot' || typesOf(other) >= typesOf(group));
}

/** Is its next node launched on demand, too? The share of on-demand nodes in a mixed group is not for the expanders to say. */
const isOnDemandGroup = (group: NodeGroup): boolean =>
  group.template !== null && purchaseOptionOf(group.template.node, group) === 'on-demand';

/** Capacity that is paid for whether it is used or not. */
const PAID_ANYWAY: ReadonlySet<string> = new Set(['reserved', 'capacity-block']);

/** Number of instance types that a node may be of. */
const typesOf = ({ template, alternatives }: NodeGroup): number =>
  new Set(presentItems([template, ...alternatives]).map(({ node }) => node.labels[INSTANCE_TYPE_LABEL])).size;
