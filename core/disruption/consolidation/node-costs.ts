import type { Node } from '../../model/cluster/node.ts';
import type { GroupName } from '../../model/values/names.ts';
import { type NodeGroup, nodePricesOf } from '../../model/node-group.ts';
import { type Costs, costsOf, priceOfShape, referencePrice } from '../../nodegroups/cost.ts';
import type { GroupTemplate } from '../../nodegroups/node-templates.ts';

/** The costs of existing nodes and of nodes that may be launched. */
export interface NodeCosts {
  readonly basis: Costs['basis'];
  /** Cost of an existing node, per hour. */
  readonly of: (node: Node, group: NodeGroup) => number;
  /** Cost of a new node, per hour: of the dearest one that may be launched. */
  readonly ofNew: (group: NodeGroup) => number;
}

/** USD per hour, or what the nodes come to at reference prices where no group has a price (`Costs`). */
export function nodeCosts(groups: readonly NodeGroup[], templates: ReadonlyMap<GroupName, GroupTemplate>): NodeCosts {
  const costs = costsOf(groups, templates);
  const of = (node: Node, { name, price, template }: Pick<NodeGroup, 'name' | 'price' | 'template'>): number => {
    if (costs.basis === 'size') {
      return referencePrice(node.capacity);
    }
    return priceOfShape(node, template?.node ?? node, price ?? costs.of(name));
  };
  return {
    basis: costs.basis,
    of: (node, group) => of(node, { ...group, price: nodePricesOf(group).saved }),
    ofNew: (group) => {
      const shapes = templates.get(group.name)?.shapes ?? [];
      return Math.max(group.price ?? costs.of(group.name), ...shapes.map((shape) => of(shape, group)));
    },
  };
}
