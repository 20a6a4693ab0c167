import { getExisting, itemAt } from '../model/values/existing.ts';
import { addCount } from '../model/values/counts.ts';
import type { GroupName } from '../model/values/names.ts';
import { getOptional, mapOptional } from '../model/values/optional.ts';
import type { Scenario } from '../model/scenario.ts';
import { stillCounted } from '../registry/ended-nodes.ts';
import type { Registry } from '../registry/registry.ts';
import type { SimulatedCluster } from '../scheduling/simulated-cluster.ts';
import { type Eligible, sizeOf } from './eligibility.ts';

/** Nodes in the order in which they are tried for removal. */
export interface RemovalQueue<T> {
  /** The next node, which counts as removed from here on; `undefined` after the last one. */
  readonly next: () => T | undefined;
  /** The node is not removed. */
  readonly stays: (node: T) => void;
}

/** The sizes of groups, to keep similar ones even; `null`: groups are not balanced. */
export type EvenOrder = {
  /** The number of nodes of each group, without nodes that are removed besides. */
  readonly sizes: ReadonlyMap<GroupName, number>;
  /** Similar groups that have nodes share a number. */
  readonly sets: ReadonlyMap<GroupName, number>;
} | null;

/** All nodes of a queue, as if all of them were removed. */
export function evenList<T>({ next }: RemovalQueue<T>): readonly T[] {
  const nodes: T[] = [];
  for (let node = next(); node !== undefined; node = next()) {
    nodes.push(node);
  }
  return nodes;
}

interface OrderInput {
  readonly scenario: Pick<Scenario, 'nodeGroups' | 'state'>;
  readonly registry: Registry;
  readonly cluster: Pick<SimulatedCluster, 'similarSets'>;
}

/**
 * The order for the groups of a scenario. Cluster Autoscaler balances scale-ups alone, so that groups of 1, 3 and 6 nodes
 * may be left with 1, 0 and 5.
 *
 * @param unneeded nodes that are removed besides.
 */
export function evenOrder(
  { scenario: { nodeGroups, state }, registry, cluster: { similarSets } }: OrderInput,
  unneeded: readonly { readonly candidate: Pick<Eligible, 'group'> }[] = [],
): EvenOrder {
  if (similarSets === undefined) {
    return null;
  }
  const sizes = new Map(
    nodeGroups.map((group) => [group.name, sizeOf(group, registry) - stillCounted(group, state.deletionsInProgress)]),
  );
  unneeded.forEach(({ candidate }) => addCount(sizes, candidate.group.name, -1));
  return { sizes, sets: similarSets };
}

/**
 * Queues nodes so that the next one is always of the largest of similar groups. Nodes are only exchanged with nodes of
 * similar groups and of the same class; each class keeps its positions in the order.
 */
export function removalQueue<T>(
  order: EvenOrder,
  nodes: readonly T[],
  groupOf: (node: T) => GroupName | null,
  classOf: (node: T) => string,
): RemovalQueue<T> {
  if (order === null || new Set(nodes.map(groupOf)).size < 2) {
    const all = nodes.values();
    return { next: () => all.next().value, stays: () => undefined };
  }
  const sizes = new Map<GroupName | null, number>(order.sizes);
  const setOf = (group: GroupName | null): number | string => getOptional(order.sets, group) ?? group ?? '';
  const keys = nodes.map((node) => `${setOf(groupOf(node))} ${classOf(node)}`);
  const classes = new Map(
    [...Map.groupBy(nodes.keys(), (i) => itemAt(keys, i))].map(([key, own]) => {
      const queues = Map.groupBy(
        own.map((i) => itemAt(nodes, i)),
        groupOf,
      );
      // The first node is taken from the end, which costs the same however many there are.
      queues.forEach((queue) => queue.reverse());
      return [key, queues] as const;
    }),
  );
  const positions = keys.values();
  return {
    next: () => mapOptional(positions.next().value, (key) => takeLargest(getExisting(classes, key), sizes)),
    stays: (node) => addCount(sizes, groupOf(node), 1),
  };
}

/** The next node of the largest group; of groups of equal size that of the group whose nodes come first. */
function takeLargest<T>(
  queues: ReadonlyMap<GroupName | null, T[]>,
  sizes: Map<GroupName | null, number>,
): T | undefined {
  let largest: GroupName | null | undefined;
  for (const [group, queue] of queues) {
    if (queue.length > 0 && (largest === undefined || (sizes.get(group) ?? 0) > (sizes.get(largest) ?? 0))) {
      largest = group;
    }
  }
  if (largest === undefined) {
    return undefined;
  }
  addCount(sizes, largest, -1);
  return getExisting(queues, largest).pop();
}
