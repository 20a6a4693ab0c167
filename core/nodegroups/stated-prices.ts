import { getExisting } from '../model/values/existing.ts';
import { INSTANCE_TYPE_LABEL, type Node, ZONE_LABEL } from '../model/cluster/node.ts';
import type { NodeGroup } from '../model/node-group.ts';
import type { Options } from '../model/options.ts';
import type { StatedPrice } from '../model/price.ts';
import type { Scenario } from '../model/scenario.ts';
import { heldInstances } from '../model/node-group.ts';
import { capacityTypeOf } from '../registry/shortages.ts';

/**
 * The scenario with what the option `prices` says of the groups. The first price that is of a group's nodes holds. Of prices
 * that cover a number of nodes, a group's next node costs so where fewer instances exist than are covered; a node that is
 * removed saves no more than that as long as no more exist than are covered (`NodeGroup.savedPrice`).
 */
export function withStatedPrices(scenario: Scenario): Scenario {
  const { prices } = scenario.options;
  if (prices.length === 0) {
    return scenario;
  }
  const counts = new Map(prices.map((one) => [one, countOf(one, scenario)]));
  return {
    ...scenario,
    nodeGroups: scenario.nodeGroups.map((group) => {
      const next = prices.find(
        (one) => isOfPrice(one, group) && (one.covered === null || getExisting(counts, one) < one.covered),
      );
      const last = prices.find(
        (one) => isOfPrice(one, group) && (one.covered === null || getExisting(counts, one) <= one.covered),
      );
      const saved = last?.price ?? group.price;
      const price = next?.price ?? group.price;
      return next === undefined && last === undefined
        ? group
        : { ...group, price, ...(saved !== price && saved !== null && { savedPrice: saved }) };
    }),
  };
}

/**
 * Do decisions go by the prices of nodes? Where node groups alone ask for consolidation, their tags or `prices` must
 * state the prices.
 */
export const goesByPrices = ({ expander, consolidation }: Pick<Options, 'expander' | 'consolidation'>): boolean =>
  expander.includes('price') || consolidation !== 'off';

/** Is the next node of the group one of these? */
export const isOfPrice = (price: StatedPrice, group: NodeGroup): boolean =>
  group.template !== null && matches(price, group.template.node, group);

function matches({ type, zone, capacityType }: StatedPrice, { labels }: Node, group: NodeGroup): boolean {
  return (
    (type === null || labels[INSTANCE_TYPE_LABEL] === type) &&
    (zone === null || labels[ZONE_LABEL] === zone) &&
    (capacityType === null || (capacityTypeOf(labels) ?? group.capacityType) === capacityType)
  );
}

/**
 * Number of instances at this price: existing nodes by their own labels, further instances by their group's template.
 */
function countOf(price: StatedPrice, { nodeGroups, objects }: Scenario): number {
  const nodes = new Map(objects.nodes.map((node) => [node.name, node]));
  let count = 0;
  for (const group of nodeGroups) {
    for (const { node: name } of heldInstances(group)) {
      const node = (name === null ? undefined : nodes.get(name)) ?? group.template?.node;
      count += node !== undefined && matches(price, node, group) ? 1 : 0;
    }
  }
  return count;
}
