import type { Node } from '../model/cluster/node.ts';
import { providersIn } from '../model/provider.ts';
import { type LimitedAmount, limitedAmounts } from '../model/limited-amounts.ts';
import type { Scenario } from '../model/scenario.ts';
import { mapOptional } from '../model/values/optional.ts';
import type { NodeName } from '../model/values/names.ts';
import { NODE_MESSAGES } from '../words/node-messages.ts';

const sumOf = (of: LimitedAmount['of'], nodes: readonly Node[]): number =>
  nodes.reduce((sum, node) => sum + of(node), 0);

/** How much the cluster as a whole may still shrink. */
export interface ClusterMinimums {
  /** Takes a node out, if the cluster can do without it; otherwise names the minimum that would be broken. */
  readonly take: (node: Node) => string | null;
  /** The minimum that would be broken with new nodes in the place of `nodes`; `null`: none. */
  readonly shortWith: (added: readonly Node[], nodes: readonly Node[]) => string | null;
  /** Puts new nodes into the place of `nodes`. */
  readonly replace: (added: readonly Node[], nodes: readonly Node[]) => void;
}

/**
 * The minimums of `coresTotal`, `memoryTotal` and `gpuTotal`. Upcoming nodes do not count. Follows Cluster Autoscaler's
 * resourcequotas.
 *
 * @param leaving nodes that are being removed.
 */
export function clusterMinimums(scenario: Scenario, leaving: ReadonlySet<NodeName>): ClusterMinimums {
  const staying = scenario.objects.nodes.filter(({ name }) => !leaving.has(name));
  const limits = limitedAmounts(scenario.options, providersIn(scenario))
    .filter(({ range }) => range.min > 0)
    .map(({ name, of, range, unit }) => ({
      name,
      of,
      min: range.min,
      spare: sumOf(of, staying) - range.min * unit,
    }));
  const shortWith: ClusterMinimums['shortWith'] = (added, nodes) => {
    const broken = limits.find(({ of, spare }) => {
      const less = sumOf(of, nodes);
      return less > 0 && less - sumOf(of, added) > spare;
    });
    return mapOptional(broken, ({ name, min }) => NODE_MESSAGES.belowLimit(name, min)) ?? null;
  };
  const replace: ClusterMinimums['replace'] = (added, nodes) => {
    for (const limit of limits) {
      limit.spare -= sumOf(limit.of, nodes) - sumOf(limit.of, added);
    }
  };
  return {
    shortWith,
    replace,
    take: (node) => {
      const short = shortWith([], [node]);
      if (short === null) {
        replace([], [node]);
      }
      return short;
    },
  };
}
