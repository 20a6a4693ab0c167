import { GPU_LABEL } from '../model/accelerators.ts';
import { gpusIn } from '../model/gpu.ts';
import { INSTANCE_TYPE_LABEL, type Node } from '../model/node.ts';
import type { Options, Range } from '../model/options.ts';
import { CPU, MEMORY } from '../model/resources.ts';
import type { ProviderName } from '../model/scenario.ts';

/** What a node with GPUs but without the label is taken for. Follows Cluster Autoscaler's utils/gpu. */
const GENERIC_GPU = 'generic';

const GIB = 2 ** 30;

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

/** Something that the cluster is to have no less and no more of than so much. */
export interface LimitedAmount {
  readonly name: string;
  /** What one node counts for. */
  readonly of: (node: Node) => number;
  readonly range: Range;
}

/** What the options `coresTotal`, `memoryTotal` and `gpuTotal` limit. */
export const limitedAmounts = (options: Options, provider: ProviderName): readonly LimitedAmount[] => [
  { name: 'coresTotal', of: (node) => ofResource(node, CPU) / 1_000, range: options.coresTotal },
  { name: 'memoryTotal', of: (node) => ofResource(node, MEMORY) / GIB, range: options.memoryTotal },
  ...options.gpuTotal.map((text): LimitedAmount => {
    const [type, least, most] = text.split(':');
    return {
      name: `gpuTotal ${type}`,
      of: (node) => (gpuType(node, provider) === type ? gpusOf(node) : 0),
      range: { min: Number(least), max: Number(most) },
    };
  }),
];

const isVirtual = ({ labels }: Node): boolean =>
  labels['type'] === 'virtual-kubelet' || labels[INSTANCE_TYPE_LABEL] === 'virtual-kubelet';

const ofResource = (node: Node, resource: string): number => (isVirtual(node) ? 0 : (node.capacity[resource] ?? 0));

const gpusOf = (node: Node): number => (isVirtual(node) ? 0 : gpusIn(node.capacity));

const gpuType = (node: Node, provider: ProviderName): string => node.labels[GPU_LABEL[provider]] ?? GENERIC_GPU;
