import { itemAt } from '../model/values/existing.ts';
import { byName, type NodeName } from '../model/values/names.ts';
import type { Commitment } from '../model/commitment.ts';
import { INSTANCE_TYPE_LABEL, type Node, ZONE_LABEL } from '../model/cluster/node.ts';
import type { NodeGroup } from '../model/node-group.ts';
import type { StatedPrice } from '../model/price.ts';
import { rounded } from '../model/values/rounded.ts';
import type { Scenario } from '../model/scenario.ts';
import { heldInstances } from '../model/node-group.ts';
import { sizeOfType } from './instance-size.ts';
import { capacityTypeOf } from '../registry/shortages.ts';

/**
 * The scenario with the prices that the option `prices` states and with what is paid for in any case (`Scenario.commitments`).
 * The first price that is of a group's nodes holds; commitments come last. Prices that cover a number of nodes are taken by
 * existing and awaited instances in turn. What they leave is for the next nodes (`NodePrices.covered`); a node that is
 * removed saves the last of them alone, unless there are more nodes than are covered (`NodePrices.saved`).
 */
export function withStatedPrices(scenario: Scenario): Scenario {
  const { options, commitments = [] } = scenario;
  if (options.prices.length === 0 && commitments.length === 0) {
    return scenario;
  }
  const nodes = new Map(scenario.objects.nodes.map((node) => [node.name, node]));
  const pools = poolsOf(scenario, commitments, nodes);
  const use = useOf(scenario, pools, nodes);
  return { ...scenario, nodeGroups: scenario.nodeGroups.map((group) => withPrices(group, pools, use)) };
}

/** A price, and the capacity that it is for. */
interface PricePool {
  readonly name: string;
  readonly price: StatedPrice;
  /** The family whose sizes all take of the capacity, by their size; `null`: each node takes 1. */
  readonly family: string | null;
  /** `null`: unlimited. */
  readonly capacity: number | null;
  /** The capacity is paid for in any case: its nodes cost nothing more, and are worth the price of others. */
  readonly isCommitted: boolean;
}

function poolsOf(
  { options, nodeGroups }: Scenario,
  commitments: readonly Commitment[],
  nodes: NodesByName,
): readonly PricePool[] {
  return [
    ...options.prices.map((price, i) => ({
      name: `prices[${i}]`,
      price,
      family: null,
      capacity: price.covered,
      isCommitted: false,
    })),
    ...commitments.map((commitment): PricePool => {
      const { kind, type, zone, count, available, coversSizes } = commitment;
      const size = coversSizes ? sizeOfType(type) : null;
      const price = { type: size === null ? type : null, zone, capacityType: 'on-demand', price: 0, covered: null };
      const pool = { name: `${kind} ${type} ${zone ?? 'any'}`, price, family: null, capacity: null, isCommitted: true };
      if (size !== null) {
        return { ...pool, family: size.family, capacity: count * size.units };
      }
      // Instances outside the cluster leave the rest of it.
      const own = available === null ? count : available + runningIn(pool, nodeGroups, nodes);
      return { ...pool, capacity: Math.min(count, own) };
    }),
  ];
}

type NodesByName = ReadonlyMap<NodeName, Node>;

/** The nodes of a group's existing instances; of instances without a node, what they will become. */
const nodesOf = (group: NodeGroup, nodes: NodesByName): readonly (Node | undefined)[] =>
  heldInstances(group).map(({ node }) => (node === null ? undefined : nodes.get(node)) ?? group.template?.node);

const runningIn = (pool: PricePool, groups: readonly NodeGroup[], nodes: NodesByName): number =>
  groups.flatMap((group) =>
    nodesOf(group, nodes).filter((node) => node !== undefined && capacityOf(pool, node, group) > 0),
  ).length;

/** The capacity that a node takes of a pool; 0 where the pool is not for such nodes. */
function capacityOf({ price, family }: PricePool, node: Node, group: NodeGroup): number {
  if (!matches(price, node, group)) {
    return 0;
  }
  if (family === null) {
    return 1;
  }
  const size = sizeOfType(node.labels[INSTANCE_TYPE_LABEL] ?? '');
  return size?.family === family ? size.units : 0;
}

/** The use of the pools, each by its index in the list. */
interface PoolUse {
  readonly taken: readonly number[];
  /** Is the pool for nodes that neither it nor another one has room for? */
  readonly isExceeded: readonly boolean[];
  /** The nodes that have the same pools, by `keyOf` these. */
  readonly kinds: ReadonlyMap<string, CoveredKind>;
}

/** Existing and awaited nodes with the same pools. */
interface CoveredKind {
  readonly count: number;
  /** The number of nodes that each pool covers. */
  readonly covered: ReadonlyMap<PricePool, number>;
}

const keyOf = (limited: readonly LimitedPool[]): string => limited.map(({ index, each }) => `${index}*${each}`).join();

function withPrices(group: NodeGroup, pools: readonly PricePool[], { taken, isExceeded, kinds }: PoolUse): NodeGroup {
  const node = group.template?.node;
  if (node === undefined) {
    return group;
  }
  const { limited, unlimited } = poolsFor(node, group, pools);
  const uncovered = unlimited ?? group.price;
  const covered = limited.flatMap(({ pool: { name, price, capacity }, index, each }) => {
    const left = capacity - itemAt(taken, index);
    return left >= each ? [{ pool: name, left, each, price: price.price }] : [];
  });
  const last = limited.some(({ index }) => isExceeded[index] === true)
    ? undefined
    : limited.findLast(({ index }) => itemAt(taken, index) > 0);
  const price = covered[0]?.price ?? uncovered;
  const saved = last?.pool.price.price ?? price;
  const mean = meanPrice(limited, kinds.get(keyOf(limited)), uncovered);
  return { ...group, price, prices: { saved, mean, covered, uncovered } };
}

/** The mean price of the nodes, of the next one where there are none; `null` where the price of some is unknown. */
function meanPrice(limited: readonly LimitedPool[], kind: CoveredKind | undefined, all: number | null): number | null {
  const priceOf = ({ price, isCommitted }: PricePool): number | null => (isCommitted ? all : price.price);
  if (kind === undefined) {
    const [first] = limited;
    return first === undefined ? all : priceOf(first.pool);
  }
  let left = kind.count;
  let sum = 0;
  for (const [pool, count] of kind.covered) {
    const price = priceOf(pool);
    if (price === null) {
      return null;
    }
    left -= count;
    sum += price * count;
  }
  if (left > 0 && all === null) {
    return null;
  }
  return rounded((sum + (all ?? 0) * left) / kind.count);
}

/** A pool of limited capacity, its index in the list, and the capacity that one node takes. */
interface LimitedPool {
  readonly pool: PricePool & { readonly capacity: number };
  readonly index: number;
  readonly each: number;
}

/** The pools that such a node may be of: those before the first price of all such nodes, and that price. */
function poolsFor(
  node: Node,
  group: NodeGroup,
  pools: readonly PricePool[],
): { readonly limited: readonly LimitedPool[]; readonly unlimited: number | null } {
  const limited: LimitedPool[] = [];
  for (const [index, pool] of pools.entries()) {
    const each = capacityOf(pool, node, group);
    const { capacity } = pool;
    if (each > 0 && capacity === null) {
      return { limited, unlimited: pool.price.price };
    }
    if (each > 0 && capacity !== null) {
      limited.push({ pool: { ...pool, capacity }, index, each });
    }
  }
  return { limited, unlimited: null };
}

/** Covers nodes, those with the fewest pools first, each by the first pool of the list that has room. */
function useOf({ nodeGroups }: Scenario, pools: readonly PricePool[], nodes: NodesByName): PoolUse {
  const kinds = new Map<string, { readonly limited: readonly LimitedPool[]; count: number }>();
  const add = (node: Node | undefined, group: NodeGroup, count: number): void => {
    if (node !== undefined && count > 0) {
      const { limited } = poolsFor(node, group, pools);
      const key = keyOf(limited);
      const kind = kinds.get(key) ?? { limited, count: 0 };
      kinds.set(key, { ...kind, count: kind.count + count });
    }
  };
  for (const group of nodeGroups) {
    const existing = nodesOf(group, nodes);
    existing.forEach((node) => add(node, group, 1));
    add(group.template?.node, group, group.targetSize - existing.length);
  }
  const covers = new Map<string, CoveredKind>();
  const taken = pools.map(() => 0);
  const isExceeded = pools.map(() => false);
  const inTurn = [...kinds].sort(([a, one], [b, other]) => one.limited.length - other.limited.length || byName(a, b));
  for (const [key, { limited, count }] of inTurn) {
    let left = count;
    const coveredBy = new Map<PricePool, number>();
    for (const { pool, index, each } of limited) {
      const covered = Math.min(left, Math.floor((pool.capacity - itemAt(taken, index)) / each));
      taken[index] = itemAt(taken, index) + covered * each;
      coveredBy.set(pool, covered);
      left -= covered;
    }
    covers.set(key, { count, covered: coveredBy });
    for (const { index } of limited) {
      isExceeded[index] ||= left > 0;
    }
  }
  return { taken, isExceeded, kinds: covers };
}

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
