import type { Node } from '../model/cluster/node.ts';
import type { Options } from '../model/options.ts';
import type { ProviderName } from '../model/provider.ts';
import { type LimitedAmount, limitedAmounts } from '../model/limited-amounts.ts';
import { NODE_MESSAGES } from '../words/node-messages.ts';

const sumOf = (of: LimitedAmount['of'], nodes: readonly Node[]): number =>
  nodes.reduce((sum, node) => sum + of(node), 0);

/** What may still be taken from the cluster as a whole. */
export interface ClusterMinimums {
  /** Takes a node out, if the cluster can do without it; else says below what it would fall. */
  readonly take: (node: Node) => string | null;
  /** Below what the cluster would fall with a new node in the place of these; `null`: it can do without them. */
  readonly shortWith: (added: Node, nodes: readonly Node[]) => string | null;
  /** Puts a new node into the place of these. */
  readonly replace: (added: Node, nodes: readonly Node[]) => void;
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
      spare: sumOf(of, nodes) - range.min * unit,
    }));
  return {
    shortWith: (added, nodes) => {
      const broken = limits.find(({ of, spare }) => {
        const less = sumOf(of, nodes);
        return less > 0 && less - of(added) > spare;
      });
      return broken === undefined ? null : NODE_MESSAGES.belowLimit(broken.name, broken.min);
    },
    replace: (added, nodes) => {
      for (const limit of limits) {
        limit.spare -= sumOf(limit.of, nodes) - limit.of(added);
      }
    },
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
