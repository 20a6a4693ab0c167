import { firstItem } from '../../model/values/existing.ts';
import { CPU, MEMORY, type Resources } from '../../model/values/resources.ts';
import { andNext, type Expander, nextBest } from './expander.ts';

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

/** The options that leave the least unused; all of them when several are exactly alike. */
export const leastWaste: Expander = {
  score: ({ waste }) => waste,
  bound: ({ node, nodes, requested }) => wasteOf(requested, node.capacity, nodes),
  nearTies: true,
  figures: () => ({}),
  explain: (options, left) => {
    const best = percent(firstItem(left).waste);
    const next = nextBest(leastWaste, options, left);
    const unused = left.length === 1 ? `${best} unused` : `${left.length} groups leave ${best} unused`;
    return `least-waste: ${unused}${andNext(next === null ? null : percent(next.waste))}`;
  },
};

/** The mean of both shares. */
const percent = (waste: number): string => `${Math.round((waste / 2) * 100)}%`;
