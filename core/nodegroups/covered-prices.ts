import { addCount } from '../model/values/counts.ts';
import { mapOptional } from '../model/values/optional.ts';
import { type CoveredPrice, type NodeGroup, nodePricesOf } from '../model/node-group.ts';

/** The capacity that the new nodes of a plan take, by the pool that covers them. */
export type CapacityTaken = ReadonlyMap<string, number>;

const NONE: CapacityTaken = new Map();

/** The number of nodes of a group for which a pool has capacity left. */
export const nodesCovered = ({ pool, left, each }: CoveredPrice, taken = NONE): number =>
  Math.max(0, Math.floor((left - (taken.get(pool) ?? 0)) / each));

/** The first price that still covers a node of the group; `null` where the next node costs `NodePrices.uncovered`. */
export const nextCover = (group: NodeGroup, taken = NONE): CoveredPrice | null =>
  nodePricesOf(group).covered.find((price) => nodesCovered(price, taken) > 0) ?? null;

/** The group at the price of its next node, after others were added. */
export const atNextPrice = (group: NodeGroup, taken: CapacityTaken): NodeGroup => ({
  ...group,
  price: nextCover(group, taken)?.price ?? nodePricesOf(group).uncovered,
});

/** The number of further nodes at that price; infinite where it holds for all of them. */
export function nodesAtNextPrice(group: NodeGroup, taken = NONE): number {
  const next = nextCover(group, taken);
  return mapOptional(next, (price) => nodesCovered(price, taken)) ?? Number.POSITIVE_INFINITY;
}

/**
 * Counts more nodes of the group.
 *
 * @param nodes `nodesAtNextPrice` at most.
 * @returns the price that covers them; `null` where none does.
 */
export function takeNext(group: NodeGroup, taken: Map<string, number>, nodes = 1): CoveredPrice | null {
  const next = nextCover(group, taken);
  if (next !== null) {
    addCount(taken, next.pool, next.each * nodes);
  }
  return next;
}

/** Does the same pool, or none, cover the next nodes of both groups? */
export const isCoveredAlike = (a: NodeGroup, b: NodeGroup, taken = NONE): boolean =>
  nextCover(a, taken)?.pool === nextCover(b, taken)?.pool;
