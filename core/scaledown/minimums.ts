import type { Node } from '../model/cluster/node.ts';
import type { Options } from '../model/options.ts';
import type { ProviderName } from '../model/provider.ts';
import { type LimitedAmount, limitedAmounts } from '../model/limited-amounts.ts';
import { NODE_MESSAGES } from '../words/node-messages.ts';

const sumOf = (of: LimitedAmount['of'], nodes: readonly Node[]): number =>
  nodes.reduce((sum, node) => sum + of(node), 0);

/** How much the cluster as a whole may still shrink. */
export interface ClusterMinimums {
  /** Takes a node out, if the cluster can do without it; otherwise names the minimum that would be broken. */
  readonly take: (node: Node) => string | null;
  /** The minimum that would be broken with `count` new nodes in the place of `nodes`; `null`: none. */
  readonly shortWith: (added: Node, count: number, nodes: readonly Node[]) => string | null;
  /** Puts `count` new nodes into the place of `nodes`. */
  readonly replace: (added: Node, count: number, nodes: readonly Node[]) => void;
}

/**
 * The minimums of `coresTotal`, `memoryTotal` and `gpuTotal`. Upcoming nodes do not count. Follows Cluster Autoscaler's
 * resourcequotas.
 *
 * @param nodes existing nodes that are not being removed.
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
    shortWith: (added, count, nodes) => {
      const broken = limits.find(({ of, spare }) => {
        const less = sumOf(of, nodes);
        return less > 0 && less - count * of(added) > spare;
      });
      return broken === undefined ? null : NODE_MESSAGES.belowLimit(broken.name, broken.min);
    },
    replace: (added, count, nodes) => {
      for (const limit of limits) {
        limit.spare -= sumOf(limit.of, nodes) - count * limit.of(added);
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
