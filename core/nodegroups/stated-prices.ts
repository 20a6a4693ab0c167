import { itemAt } from '../model/values/existing.ts';
import { byName, type NodeName } from '../model/values/names.ts';
import type { Commitment, InstanceCommitment, SavingsPlan } from '../model/commitment.ts';
import { INSTANCE_TYPE_LABEL, type Node, OS_LABEL, ZONE_LABEL } from '../model/cluster/node.ts';
import { heldInstances, type NodeGroup } from '../model/node-group.ts';
import type { StatedPrice } from '../model/price.ts';
import { getOptional, mapOptional } from '../model/values/optional.ts';
import { valueOf } from '../model/values/records.ts';
import { rounded } from '../model/values/rounded.ts';
import type { Scenario } from '../model/scenario.ts';
import { sizeOfType } from './instance-size.ts';
import { capacityTypeOf } from '../registry/shortages.ts';

/**
 * The scenario with the prices that the option `prices` states and with what is paid for in any case (`Scenario.commitments`).
 * The first price that is of a group's nodes holds; commitments come last. Prices that cover a number of nodes are taken by
 * existing and awaited instances in turn. What they leave is for the next nodes (`NodePrices.covered`); a node that is
 * removed saves the last of them alone, unless there are more nodes than are covered (`NodePrices.saved`).
 */
export function withStatedPrices<T extends PricedScenario>(scenario: T): T {
  const { options, commitments = [] } = scenario;
  if (options.prices.length === 0 && commitments.length === 0) {
    return scenario;
  }
  const nodes = new Map(scenario.objects.nodes.map((node) => [node.name, node]));
  const pools = leftByReservations(commitments, poolsOf(scenario, commitments, nodes));
  const use = useOf(scenario, pools, nodes);
  return { ...scenario, nodeGroups: scenario.nodeGroups.map((group) => withPrices(group, pools, use)) };
}

/** The part of a scenario that prices depend on. */
type PricedScenario = Pick<Scenario, 'options' | 'nodeGroups' | 'commitments'> & {
  readonly objects: Pick<Scenario['objects'], 'nodes'>;
};

/** The size of instances of a family, or the rates of a savings plan. Other types are not covered. */
type InstanceUnits = { readonly family: string } | Pick<SavingsPlan, 'rates'>;

/** A price, and the capacity that it is for. */
interface PricePool {
  readonly name: string;
  readonly price: StatedPrice;
  /** The capacity that a node takes, by its instance type; `null`: each takes 1. */
  readonly units: InstanceUnits | null;
  /** `null`: unlimited. */
  readonly capacity: number | null;
  /** The capacity is paid for in any case: its nodes cost nothing more, and are worth the price of others. */
  readonly isCommitted: boolean;
  /** Capacity reservations take of the pool as their instances would, whether they are in use or not. */
  readonly coversReservations: boolean;
}

/** Discounts are given in this order: savings plans apply after everything else, those of one instance family first. */
const turnOf = (commitment: SavingsPlan | InstanceCommitment): number => {
  if (commitment.kind !== 'SavingsPlan') {
    return 0;
  }
  return commitment.family === null ? 2 : 1;
};

function poolsOf(
  { options, nodeGroups }: PricedScenario,
  commitments: readonly Commitment[],
  nodes: NodesByName,
): readonly PricePool[] {
  const runningIn = (pool: PricePool): number =>
    nodeGroups.flatMap((group) =>
      nodesOf(group, nodes).filter((node) => node !== undefined && capacityOf(pool, node, group) > 0),
    ).length;
  return [
    ...options.prices.map((price, i) => ({
      name: `prices[${i}]`,
      price,
      units: null,
      capacity: price.covered,
      isCommitted: false,
      coversReservations: false,
    })),
    ...commitments
      .filter((one) => one.kind !== 'Unread')
      .toSorted((a, b) => turnOf(a) - turnOf(b))
      .map((one, i) => (one.kind === 'SavingsPlan' ? poolOfPlan(one, i) : poolOfInstances(one, runningIn))),
  ];
}

const COMMITTED = { type: null, zone: null, capacityType: 'on-demand', price: 0, covered: null } as const;

/** Whole numbers, so that seven nodes at a rate of 0.0869 fit into a commitment of 0.6083. */
const toPlanUnits = (usd: number): number => Math.round(usd * 1e8);

const poolOfPlan = ({ commitment, rates }: SavingsPlan, i: number): PricePool => ({
  name: `SavingsPlan ${i}`,
  price: COMMITTED,
  units: { rates },
  capacity: toPlanUnits(commitment),
  isCommitted: true,
  coversReservations: true,
});

function poolOfInstances(commitment: InstanceCommitment, runningIn: (pool: PricePool) => number): PricePool {
  const { kind, type, zone, count, available, coversSizes } = commitment;
  const capacityType = kind === 'CapacityBlock' ? 'capacity-block' : COMMITTED.capacityType;
  const pool = {
    name: `${kind} ${type} ${zone ?? 'any'}`,
    price: { ...COMMITTED, type, zone, capacityType },
    units: null,
    capacity: count,
    isCommitted: true,
    // Zonal reserved instances are capacity of their own.
    coversReservations: kind === 'ReservedInstances' && zone === null,
  };
  const size = sizeOfType(type);
  if (coversSizes && size !== null) {
    const { family, units } = size;
    return { ...pool, price: { ...pool.price, type: null }, units: { family }, capacity: count * units };
  }
  if (available === null) {
    return pool;
  }
  // Instances outside the cluster leave the rest of it.
  return { ...pool, capacity: Math.min(count, available + runningIn(pool)) };
}

type NodesByName = ReadonlyMap<NodeName, Node>;

/** The nodes of a group's existing instances; of instances without a node, what they will become. */
const nodesOf = (group: NodeGroup, nodes: NodesByName): readonly (Node | undefined)[] =>
  heldInstances(group).map(({ node }) => getOptional(nodes, node) ?? group.template?.node);

/** The properties of a node and its group that select pools. */
type PricedNode = Pick<Node, 'labels'>;
type PricedGroup = Pick<NodeGroup, 'capacityType'>;

/** The capacity that a node takes of a pool; 0 where the pool is not for such nodes. */
function capacityOf({ price, units, isCommitted }: PricePool, node: PricedNode, group: PricedGroup): number {
  // Commitments are read for Linux.
  if (!matches(price, node, group) || (isCommitted && node.labels[OS_LABEL] === 'windows')) {
    return 0;
  }
  return unitsOf(node.labels[INSTANCE_TYPE_LABEL] ?? '', units);
}

function unitsOf(type: string, units: InstanceUnits | null): number {
  if (units === null) {
    return 1;
  }
  if ('rates' in units) {
    return toPlanUnits(valueOf(units.rates, type) ?? 0);
  }
  const size = sizeOfType(type);
  return size?.family === units.family ? size.units : 0;
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
  const covered = limited
    .map(({ pool: { name, price: stated, capacity }, index, each }) => {
      return { pool: name, left: capacity - itemAt(taken, index), each, price: stated.price };
    })
    .filter(({ left, each }) => left >= each);
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
  node: PricedNode,
  group: PricedGroup,
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
function useOf({ nodeGroups }: PricedScenario, pools: readonly PricePool[], nodes: NodesByName): PoolUse {
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
    const coveredBy = takeOf(limited, count, taken);
    covers.set(key, { count, covered: coveredBy });
    const left = [...coveredBy.values()].reduce((rest, covered) => rest - covered, count);
    for (const { index } of limited) {
      isExceeded[index] ||= left > 0;
    }
  }
  return { taken, isExceeded, kinds: covers };
}

/** Covers as many nodes of a number as the pools have capacity for, in their order. @param taken of each pool: is raised. */
function takeOf(limited: readonly LimitedPool[], count: number, taken: number[]): ReadonlyMap<PricePool, number> {
  let left = count;
  const coveredBy = new Map<PricePool, number>();
  for (const { pool, index, each } of limited) {
    const covered = Math.min(left, Math.floor((pool.capacity - itemAt(taken, index)) / each));
    taken[index] = itemAt(taken, index) + covered * each;
    coveredBy.set(pool, covered);
    left -= covered;
  }
  return coveredBy;
}

/** AWS charges all instances of a capacity reservation, and gives its discounts to them: the rest is for nodes. */
function leftByReservations(commitments: readonly Commitment[], pools: readonly PricePool[]): readonly PricePool[] {
  const taken = pools.map(() => 0);
  for (const one of commitments) {
    if (one.kind === 'CapacityReservation') {
      const node = {
        labels: { [INSTANCE_TYPE_LABEL]: one.type, [ZONE_LABEL]: one.zone ?? '' },
      };
      const { limited } = poolsFor(node, { capacityType: COMMITTED.capacityType }, pools);
      takeOf(
        limited.filter(({ pool }) => pool.coversReservations),
        one.count,
        taken,
      );
    }
  }
  return pools.map((pool, i) => ({
    ...pool,
    capacity: mapOptional(pool.capacity, (capacity) => capacity - itemAt(taken, i)),
  }));
}

/** Is the next node of the group one of these? */
export const isOfPrice = (price: StatedPrice, group: NodeGroup): boolean =>
  group.template !== null && matches(price, group.template.node, group);

function matches({ type, zone, capacityType }: StatedPrice, { labels }: PricedNode, group: PricedGroup): boolean {
  return (
    (type === null || labels[INSTANCE_TYPE_LABEL] === type) &&
    (zone === null || labels[ZONE_LABEL] === zone) &&
    (capacityType === null || (capacityTypeOf(labels) ?? group.capacityType) === capacityType)
  );
}
