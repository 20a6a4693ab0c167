import { firstItem } from '../../model/values/existing.ts';
import { counted } from '../../model/values/counted.ts';
import { mapOptional } from '../../model/values/optional.ts';
import { CPU, MEMORY, type Resources } from '../../model/values/resources.ts';
import { andNext, type Expander, nextBest, sharedText } from './expander.ts';

/** The options with the fewest new nodes. Follows Cluster Autoscaler's expander/leastnodes. */
export const leastNodes: Expander = {
  score: ({ nodes }) => nodes,
  bound: ({ nodes }) => nodes,
  explain: (options, left) => {
    const next = mapOptional(nextBest(leastNodes, options, left), ({ nodes }) => String(nodes));
    return `least-nodes: ${sharedText(left, 'need', counted(firstItem(left).nodes, 'node'))}${andNext(next)}`;
  },
};

/** The options that help the most pods. Follows Cluster Autoscaler's expander/mostpods. */
export const mostPods: Expander = {
  score: ({ pods }) => -pods,
  bound: ({ pods }) => -pods,
  explain: (options, left) => {
    const next = mapOptional(nextBest(mostPods, options, left), ({ pods }) => String(pods));
    return `most-pods: ${sharedText(left, 'help', counted(firstItem(left).pods, 'pod'))}${andNext(next)}`;
  },
};

/** The options that leave the least unused; all of them when several are exactly alike. */
export const leastWaste: Expander = {
  score: ({ waste }) => waste,
  bound: ({ node, nodes, requested }) => wasteOf(requested, node.capacity, nodes),
  nearTies: true,
  explain: (options, left) => {
    const next = mapOptional(nextBest(leastWaste, options, left), ({ waste }) => percent(waste));
    return `least-waste: ${sharedText(left, 'leave', `${percent(firstItem(left).waste)} unused`)}${andNext(next)}`;
  },
};

/**
 * The share of the new nodes' CPU that stays unused, plus that of their memory. Measured against capacity, not
 * allocatable. Follows Cluster Autoscaler's expander/waste.
 *
 * @param requested what the pods of the option ask for, all together.
 * @param capacity of one node.
 */
export function wasteOf(requested: Resources, capacity: Resources, nodes: number): number {
  const unused = (resource: string): number => {
    const available = (capacity[resource] ?? 0) * nodes;
    return available > 0 ? (available - (requested[resource] ?? 0)) / available : 0;
  };
  return unused(CPU) + unused(MEMORY);
}

/** The mean of both shares. */
const percent = (waste: number): string => `${Math.round((waste / 2) * 100)}%`;
