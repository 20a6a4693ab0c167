import type { Node } from '../model/cluster/node.ts';
import { limitedAmounts } from '../model/limited-amounts.ts';
import { defaultOptions, type Options } from '../model/options.ts';
import type { ProviderName } from '../model/provider.ts';

/** Something that the cluster may only have so much of. */
interface Limit {
  readonly name: string;
  readonly of: (node: Node) => number;
  left: number;
}

/** All that one node may turn out to be: it counts for the most that any of these does. */
export type Shapes = readonly Node[];

/** What may still be added to the cluster as a whole. */
export interface ClusterLimits {
  /** How many nodes like this one may be added. */
  readonly room: (node: Shapes) => number;
  /** The limits that forbid this number of them. */
  readonly exceededBy: (node: Shapes, count?: number) => readonly string[];
  readonly add: (node: Shapes) => void;
  /** The same, to be used up without these. */
  readonly copy: () => ClusterLimits;
}

/** Is any of these limits lower than by default? */
export function hasLimits({ maxNodesTotal, coresTotal, memoryTotal, gpuTotal }: Options): boolean {
  const usual = defaultOptions();
  return (
    maxNodesTotal > 0 ||
    gpuTotal.length > 0 ||
    coresTotal.max < usual.coresTotal.max ||
    memoryTotal.max < usual.memoryTotal.max
  );
}

/**
 * The limits `maxNodesTotal`, `coresTotal`, `memoryTotal` and `gpuTotal`, less existing and upcoming nodes. Capacity
 * counts, not allocatable; nodes of virtual kubelets count nothing. Follows Cluster Autoscaler's resourcequotas.
 */
export function clusterLimits(
  nodes: Iterable<Shapes>,
  options: Options,
  providers: readonly ProviderName[],
): ClusterLimits {
  const limits = limitsOver(limitsOf(options, providers));
  for (const node of nodes) {
    limits.add(node);
  }
  return limits;
}

const limitsOver = (limits: readonly Limit[]): ClusterLimits => ({
  room: (node) =>
    limits.reduce((room, limit) => {
      const each = mostOf(limit, node);
      return each > 0 ? Math.min(room, Math.max(0, Math.floor(limit.left / each))) : room;
    }, Number.POSITIVE_INFINITY),
  exceededBy: (node, count = 1) =>
    limits.filter((limit) => mostOf(limit, node) * count > Math.max(0, limit.left)).map(({ name }) => name),
  add: (node) => {
    for (const limit of limits) {
      limit.left -= mostOf(limit, node);
    }
  },
  copy: () => limitsOver(limits.map((limit) => ({ ...limit }))),
});

function mostOf({ of }: Limit, node: Shapes): number {
  let most = 0;
  for (const shape of node) {
    most = Math.max(most, of(shape));
  }
  return most;
}

function limitsOf(options: Options, providers: readonly ProviderName[]): readonly Limit[] {
  const limits = limitedAmounts(options, providers).map(({ name, of, range, unit }): Limit => ({
    name,
    of,
    left: range.max * unit,
  }));
  if (options.maxNodesTotal > 0) {
    limits.push({ name: 'maxNodesTotal', of: () => 1, left: options.maxNodesTotal });
  }
  return limits;
}
