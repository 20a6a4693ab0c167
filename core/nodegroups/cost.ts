import { addCount } from '../model/values/counts.ts';
import { getExisting } from '../model/values/existing.ts';
import type { Increase } from '../model/decision.ts';
import type { GroupName } from '../model/values/names.ts';
import { type NodeGroup, nodePricesOf } from '../model/node-group.ts';
import { mapOptional } from '../model/values/optional.ts';
import { CPU, MEMORY, PODS, type Resources } from '../model/values/resources.ts';
import { gpusIn } from '../model/cluster/gpu.ts';
import { nodesAtNextPrice, takeNext } from './covered-prices.ts';
import { INSTANCE_TYPE_LABEL, type Node } from '../model/cluster/node.ts';
import type { NodeOffer } from '../estimator/mix.ts';

const GIB = 2 ** 30;

/**
 * USD per hour of one vCPU, one GiB of memory and one GPU, as Cluster Autoscaler's price expander has them. They are of
 * another cloud, but only ratios between options matter, and EC2's general purpose families come to about the same
 * (0.036 for a vCPU and 0.0034 for a GiB of c5, m5 and r5 on demand).
 */
const CPU_PRICE = 0.033174;
const GIB_PRICE = 0.004446;
const GPU_PRICE = 0.7;

/** USD per hour of an instance with exactly these resources: CPU in millicores, memory in bytes. */
export function referencePrice(requested: Resources): number {
  const cores = (requested[CPU] ?? 0) / 1_000;
  const gibibytes = (requested[MEMORY] ?? 0) / GIB;
  return cores * CPU_PRICE + gibibytes * GIB_PRICE + gpusIn(requested) * GPU_PRICE;
}

/**
 * USD per hour of a node where the template of its group costs `price`, which is that of one instance type. Other types of the group
 * count for as much more or less as their resources come to at reference prices. An unknown price is that of the template's resources.
 */
export function priceOfShape(node: Node, template: Node, price: number | null): number {
  const known = price ?? referencePrice(template.capacity);
  if (node.labels[INSTANCE_TYPE_LABEL] === template.labels[INSTANCE_TYPE_LABEL]) {
    return known;
  }
  const [own, other] = [referencePrice(node.capacity), referencePrice(template.capacity)];
  return known * (own * other === 0 ? 1 : own / other);
}

/** The cost of a node, by node group. */
export interface Costs {
  /** `price`: USD per hour; `size`: no group has a price, and instances cost what they come to at the price expander's reference prices. */
  readonly basis: 'price' | 'size';
  /**
   * Cost of one node of the group, USD per hour. Groups without a template cost nothing, for they have no nodes to
   * come.
   */
  readonly of: (group: GroupName) => number;
  readonly groups: readonly NodeGroup[];
}

/**
 * A group without a price is taken to cost as much more or less than its reference price as the median of the others does, so
 * that one malformed tag does not change how the others are compared.
 */
export function costsOf(
  groups: readonly NodeGroup[],
  templates: ReadonlyMap<GroupName, { readonly node: Pick<Node, 'capacity'> }>,
): Costs {
  const known = groups
    .filter(({ name }) => templates.has(name))
    .map(({ name, price }) => ({ name, price, reference: referencePrice(getExisting(templates, name).node.capacity) }));
  const factors = known
    .map(({ price, reference }) => mapOptional(price, (usd) => (reference > 0 ? usd / reference : 1)))
    .filter((factor) => factor !== null);
  const factor = factors.toSorted((a, b) => a - b)[factors.length >> 1] ?? 1;
  const costs = new Map(known.map(({ name, price, reference }) => [name, price ?? reference * factor]));
  return { basis: factors.length === 0 ? 'size' : 'price', of: (group) => costs.get(group) ?? 0, groups };
}

/** USD per hour of the nodes that are added: of a group whose price covers some nodes, the first ones have that price. */
export function costOfIncreases(increases: readonly Increase[], costs: Costs): number {
  const groups = new Map(costs.groups.map((group) => [group.name, group]));
  const taken = new Map<string, number>();
  let cost = 0;
  for (const { group: name, from, to } of increases) {
    const group = getExisting(groups, name);
    for (let left = to - from; left > 0;) {
      const nodes = Math.min(left, nodesAtNextPrice(group, taken));
      const next = takeNext(group, taken, nodes);
      cost += nodes * (next?.price ?? nodePricesOf(group).uncovered ?? costs.of(name));
      left -= nodes;
    }
  }
  return cost;
}

/**
 * No plan on new nodes alone is cheaper: every pod pays for what it asks of one resource at the best price per unit of
 * the groups that would take it, and the resource that comes to most counts.
 *
 * @param loads pods that no group takes are left out.
 */
export function fractionalBound<Kind extends { readonly requests: Resources }>(
  loads: readonly { readonly kind: Kind; readonly count: number }[],
  offers: readonly Omit<NodeOffer<Kind>, 'most'>[],
): number {
  const totals = new Map<string, number>();
  for (const { kind, count } of loads) {
    const takers = offers.filter(({ holds }) => holds.has(kind));
    if (takers.length === 0) {
      continue;
    }
    for (const [resource, amount] of Object.entries({ ...kind.requests, [PODS]: 1 })) {
      const unit = Math.min(...takers.map(({ cost, free }) => unitCost(cost, free[resource] ?? 0)));
      if (amount > 0 && unit < Number.POSITIVE_INFINITY) {
        addCount(totals, resource, amount * count * unit);
      }
    }
  }
  return Math.max(0, ...totals.values());
}

const unitCost = (cost: number, free: number): number => (free > 0 ? cost / free : Number.POSITIVE_INFINITY);
