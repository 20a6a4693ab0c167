import { addCount } from '../model/values/counts.ts';
import type { GroupName } from '../model/values/names.ts';
import type { NodeGroup } from '../model/node-group.ts';
import { PODS, type Resources } from '../model/values/resources.ts';
import type { PodKind } from '../model/snapshot/pod-kind.ts';
import type { GroupTemplate } from './node-templates.ts';
import { referencePrice } from './reference-price.ts';

/** The cost of a node, by node group. */
export interface Costs {
  /** `price`: USD per hour; `size`: no group has a price, and instances cost what they come to at the price expander's reference prices. */
  readonly basis: 'price' | 'size';
  /**
   * Cost of one node of the group, USD per hour. Groups without a template cost nothing, for they have no nodes to
   * come.
   */
  readonly of: (group: GroupName) => number;
}

/**
 * A group without a price is taken to cost as much more or less than its reference price as the median of the others does, so
 * that one malformed tag does not change how the others are compared.
 */
export function costsOf(groups: readonly NodeGroup[], templates: ReadonlyMap<GroupName, GroupTemplate>): Costs {
  const known = groups.flatMap(({ name, price }) => {
    const template = templates.get(name);
    return template === undefined ? [] : [{ name, price, reference: referencePrice(template.node.capacity) }];
  });
  const factors = known.flatMap(({ price, reference }) => {
    if (price === null) {
      return [];
    }
    return [reference > 0 ? price / reference : 1];
  });
  const factor = factors.toSorted((a, b) => a - b)[factors.length >> 1] ?? 1;
  const costs = new Map(known.map(({ name, price, reference }) => [name, price ?? reference * factor]));
  return { basis: factors.length === 0 ? 'size' : 'price', of: (group) => costs.get(group) ?? 0 };
}

/** A new node of some group: cost, free capacity, and the pods that the node would take. */
export interface Offer<Kind = PodKind> {
  readonly cost: number;
  readonly free: Resources;
  readonly holds: ReadonlySet<Kind>;
}

/**
 * No plan on new nodes alone is cheaper: every pod pays for what it asks of one resource at the best price per unit of
 * the groups that would take it, and the resource that comes to most counts.
 *
 * @param loads pods that no group takes are left out.
 */
export function fractionalBound<Kind extends { readonly requests: Resources } = PodKind>(
  loads: readonly { readonly kind: Kind; readonly count: number }[],
  offers: readonly Offer<Kind>[],
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
