import { addCount } from '../model/values/counts.ts';
import type { CoveredPrice, NodeGroup } from '../model/node-group.ts';

/** Nodes that a plan adds, by the pool that covers them. */
export type CoveredNodes = ReadonlyMap<string, number>;

const NONE: CoveredNodes = new Map();

/** The first price that still covers a node of the group; `null` where the next node costs `NodeGroup.uncoveredPrice`, or no price is limited. */
export const nextCover = ({ coveredPrices = [] }: NodeGroup, taken = NONE): CoveredPrice | null =>
  coveredPrices.find(({ pool, nodes }) => nodes > (taken.get(pool) ?? 0)) ?? null;

/** The group at the price of its next node, after others were added. */
export function atNextPrice(group: NodeGroup, taken: CoveredNodes): NodeGroup {
  if (group.coveredPrices === undefined) {
    return group;
  }
  return { ...group, price: nextCover(group, taken)?.price ?? group.uncoveredPrice ?? null };
}

/** The number of further nodes at that price; infinite where it holds for all of them. */
export function nodesAtNextPrice(group: NodeGroup, taken = NONE): number {
  const next = nextCover(group, taken);
  return next === null ? Number.POSITIVE_INFINITY : next.nodes - (taken.get(next.pool) ?? 0);
}

/** Counts one more node of the group. */
export function takeCovered(group: NodeGroup, taken: Map<string, number>): void {
  const next = nextCover(group, taken);
  if (next !== null) {
    addCount(taken, next.pool);
  }
}

/** Does the same pool, or none, cover the next nodes of both groups? */
export const isCoveredAlike = (a: NodeGroup, b: NodeGroup, taken = NONE): boolean =>
  nextCover(a, taken)?.pool === nextCover(b, taken)?.pool;
