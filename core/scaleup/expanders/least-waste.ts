import { CPU, MEMORY, type Resources } from '../../model/resources.ts';
import type { Option } from '../option.ts';

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
export function leastWaste(options: readonly Option[]): readonly Option[] {
  const least = Math.min(...options.map(({ waste }) => waste));
  return options.filter(({ waste }) => waste === least);
}
