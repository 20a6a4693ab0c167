import type { Node } from '../../model/node.ts';
import { limitedAmounts } from '../../model/limited-amounts.ts';
import type { Options } from '../../model/options.ts';
import type { ProviderName } from '../../model/scenario.ts';

/** Something that the cluster may only have so much of. */
interface Limit {
  readonly name: string;
  readonly of: (node: Node) => number;
  left: number;
}

/** What may still be added to the cluster as a whole. */
export interface ClusterLimits {
  /** How many nodes like this one may be added. */
  readonly room: (node: Node) => number;
  /** The limits that forbid even one. */
  readonly exceededBy: (node: Node) => readonly string[];
  readonly add: (node: Node) => void;
}

/**
 * The limits `maxNodesTotal`, `coresTotal`, `memoryTotal` and `gpuTotal`, less what is there and on its way. Capacity
 * counts, not allocatable; nodes of virtual kubelets are nobody's cores. Follows Cluster Autoscaler's resourcequotas.
 */
export function clusterLimits(nodes: Iterable<Node>, options: Options, provider: ProviderName): ClusterLimits {
  const limits = limitsOf(options, provider);
  const add = (node: Node): void => {
    for (const limit of limits) {
      limit.left -= limit.of(node);
    }
  };
  for (const node of nodes) {
    add(node);
  }
  return {
    room: (node) =>
      limits.reduce((room, { left, of }) => {
        const each = of(node);
        return each > 0 ? Math.min(room, Math.max(0, Math.floor(left / each))) : room;
      }, Number.POSITIVE_INFINITY),
    exceededBy: (node) => limits.filter(({ left, of }) => of(node) > Math.max(0, left)).map(({ name }) => name),
    add,
  };
}

function limitsOf(options: Options, provider: ProviderName): readonly Limit[] {
  const limits = limitedAmounts(options, provider).map(({ name, of, range }): Limit => ({ name, of, left: range.max }));
  if (options.maxNodesTotal > 0) {
    limits.push({ name: 'maxNodesTotal', of: () => 1, left: options.maxNodesTotal });
  }
  return limits;
}
