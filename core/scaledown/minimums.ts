import type { Node } from '../model/cluster/node.ts';
import type { Options } from '../model/options.ts';
import type { ProviderName } from '../model/provider.ts';
import { limitedAmounts } from '../model/limited-amounts.ts';
import { NODE_MESSAGES } from '../words/node-messages.ts';

/** What may still be taken from the cluster as a whole. */
export interface ClusterMinimums {
  /** Takes a node out, if the cluster can do without it; else says below what it would fall. */
  readonly take: (node: Node) => string | null;
}

/**
 * The minimums of `coresTotal`, `memoryTotal` and `gpuTotal`. Nodes that are on their way are no part of what is there.
 * Follows Cluster Autoscaler's resourcequotas.
 *
 * @param nodes that are there and not being removed.
 */
export function clusterMinimums(
  nodes: readonly Node[],
  options: Options,
  providers: readonly ProviderName[],
): ClusterMinimums {
  const limits = limitedAmounts(options, providers)
    .filter(({ range }) => range.min > 0)
    .map(({ name, of, range, unit }) => ({
      name,
      of,
      min: range.min,
      spare: nodes.reduce((sum, node) => sum + of(node), 0) - range.min * unit,
    }));
  return {
    take: (node) => {
      const broken = limits.find(({ of, spare }) => of(node) > 0 && of(node) > spare);
      if (broken !== undefined) {
        return NODE_MESSAGES.belowLimit(broken.name, broken.min);
      }
      for (const limit of limits) {
        limit.spare -= limit.of(node);
      }
      return null;
    },
  };
}
