import { itemAt } from '../model/values/existing.ts';
import { byName } from '../model/values/names.ts';
import { INSTANCE_TYPE_LABEL, type Node, ZONE_LABEL } from '../model/cluster/node.ts';
import type { NodeGroup } from '../model/node-group.ts';
import type { Options } from '../model/options.ts';
import type { StatedPrice } from '../model/price.ts';
import type { Scenario } from '../model/scenario.ts';
import { heldInstances } from '../model/node-group.ts';
import { capacityTypeOf } from '../registry/shortages.ts';

/**
 * The scenario with what the option `prices` says of the groups. The first price that is of a group's nodes holds. Prices that
 * cover a number of nodes are taken by existing and awaited instances in the order of the list. What they leave is for the next
 * nodes (`NodeGroup.coveredPrices`); a node that is removed saves the last of them alone, unless there are more nodes than
 * are covered (`NodeGroup.savedPrice`).
 */
export function withStatedPrices(scenario: Scenario): Scenario {
  const { prices } = scenario.options;
  if (prices.length === 0) {
    return scenario;
  }
  const cover = coverOf(scenario);
  return { ...scenario, nodeGroups: scenario.nodeGroups.map((group) => withPrices(group, prices, cover)) };
}

/** The use of prices that cover a number of nodes, each by its index in the list. */
interface Cover {
  /** The number of nodes that a price covers. */
  readonly used: readonly number[];
  /** The number of nodes that a price would cover, and that neither it nor another one has room for. */
  readonly beyond: readonly number[];
}

function withPrices(group: NodeGroup, prices: readonly StatedPrice[], { used, beyond }: Cover): NodeGroup {
  const node = group.template?.node;
  if (node === undefined) {
    return group;
  }
  const all = prices.find((price) => price.covered === null && matches(price, node, group))?.price ?? group.price;
  const own = coversOf(node, group, prices);
  const coveredPrices = own.flatMap(({ price: { price, covered }, index }) => {
    const nodes = covered - itemAt(used, index);
    return nodes > 0 ? [{ pool: `prices[${index}]`, nodes, price }] : [];
  });
  const last = own.some(({ index }) => itemAt(beyond, index) > 0)
    ? undefined
    : own.findLast(({ index }) => itemAt(used, index) > 0);
  const price = coveredPrices[0]?.price ?? all;
  const saved = last?.price.price ?? (coveredPrices.length > 0 ? price : all);
  return {
    ...group,
    price,
    ...(saved !== price && saved !== null && { savedPrice: saved }),
    ...(coveredPrices.length > 0 && { coveredPrices, uncoveredPrice: all }),
  };
}

/** A price that covers a number of nodes, with its index in the list. */
interface LimitedPrice {
  readonly price: StatedPrice & { readonly covered: number };
  readonly index: number;
}

/** The prices that may cover such a node: those before the first price of all such nodes. */
function coversOf(node: Node, group: NodeGroup, prices: readonly StatedPrice[]): readonly LimitedPrice[] {
  const found: LimitedPrice[] = [];
  for (const [index, price] of prices.entries()) {
    if (matches(price, node, group)) {
      const { covered } = price;
      if (covered === null) {
        break;
      }
      found.push({ price: { ...price, covered }, index });
    }
  }
  return found;
}

/** Covers nodes, those with the fewest prices first, each by the first price of the list that has room. */
function coverOf({ options: { prices }, nodeGroups, objects }: Scenario): Cover {
  const nodes = new Map(objects.nodes.map((node) => [node.name, node]));
  const kinds = new Map<string, { readonly covers: readonly LimitedPrice[]; count: number }>();
  const add = (node: Node | undefined, group: NodeGroup, count: number): void => {
    if (node !== undefined && count > 0) {
      const covers = coversOf(node, group, prices);
      const key = covers.map(({ index }) => index).join();
      const kind = kinds.get(key) ?? { covers, count: 0 };
      kinds.set(key, { ...kind, count: kind.count + count });
    }
  };
  for (const group of nodeGroups) {
    const held = heldInstances(group);
    held.forEach(({ node: name }) => add((name === null ? null : nodes.get(name)) ?? group.template?.node, group, 1));
    add(group.template?.node, group, group.targetSize - held.length);
  }
  const used = prices.map(() => 0);
  const beyond = prices.map(() => 0);
  const inTurn = [...kinds].sort(([a, one], [b, other]) => one.covers.length - other.covers.length || byName(a, b));
  for (const [, { covers, count }] of inTurn) {
    let left = count;
    for (const { price, index } of covers) {
      const taken = Math.min(left, price.covered - itemAt(used, index));
      used[index] = itemAt(used, index) + taken;
      left -= taken;
    }
    for (const { index } of covers) {
      beyond[index] = itemAt(beyond, index) + left;
    }
  }
  return { used, beyond };
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
