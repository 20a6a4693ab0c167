import { INSTANCE_TYPE_LABEL, type Node } from '../../model/cluster/node.ts';
import type { NodeGroup } from '../../model/node-group.ts';
import { capacityTypeOf } from '../../registry/shortages.ts';

/** How a node is bought: `spot`, `on-demand` …; `unknown` where nothing says it, as for a group that buys in several ways. */
export const boughtAs = ({ labels }: Pick<Node, 'labels'>, { capacityType }: NodeGroup): string =>
  capacityTypeOf(labels) ?? capacityType ?? 'unknown';

/**
 * May a node be replaced by one of another group, as far as their purchase options say? By one of the same, and whatever it is
 * by an on-demand one, if that should be cheaper: what runs on demand is not to be interrupted. A Spot node is not replaced
 * by one of a group with fewer instance types: the cheapest of few are the first to be interrupted. Follows Karpenter, which
 * asks for 15 types and has no groups; but it replaces on-demand nodes by Spot ones.
 *
 * @param by a new node of the other group.
 */
export function mayReplace(node: Node, group: NodeGroup, by: Node, other: NodeGroup): boolean {
  if (group.name === other.name) {
    return true;
  }
  const option = boughtAs(node, group);
  const others = boughtAs(by, other);
  if (others === 'on-demand') {
    return !PAID_ANYWAY.has(option);
  }
  return option === others && (option !== 'spot' || typesOf(other) >= typesOf(group));
}

/** Capacity that is paid for whether it is used or not. */
const PAID_ANYWAY: ReadonlySet<string> = new Set(['reserved', 'capacity-block']);

/** Number of instance types that a node may be of. */
const typesOf = ({ template, alternatives }: NodeGroup): number =>
  new Set(
    [...(template === null ? [] : [template]), ...alternatives].map(({ node }) => node.labels[INSTANCE_TYPE_LABEL]),
  ).size;
