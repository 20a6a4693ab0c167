import { GPU_LABEL } from './accelerators.ts';
import { gpusIn } from './cluster/gpu.ts';
import { INSTANCE_TYPE_LABEL, type Node } from './cluster/node.ts';
import type { Options, Range } from './options.ts';
import { valueOf } from './values/records.ts';
import { CPU, MEMORY } from './values/resources.ts';
import type { ProviderName } from './provider.ts';

/** The GPU type of a node with GPUs but without the label. Follows Cluster Autoscaler's utils/gpu. */
const GENERIC_GPU = 'generic';

const GIB = 2 ** 30;

/** Something that the cluster is to have no less and no more of than so much. */
export interface LimitedAmount {
  readonly name: string;
  /** The amount of one node, in whole numbers, so that sums are exact. */
  readonly of: (node: Node) => number;
  /** In the terms of the option. */
  readonly range: Range;
  /** The amount in the unit of `of` that is one in the unit of the range. */
  readonly unit: number;
}

/**
 * The amounts that the options `coresTotal`, `memoryTotal` and `gpuTotal` limit.
 *
 * @param providers whose labels say the type of a node's GPUs: nodes are counted whatever group they are of.
 */
export const limitedAmounts = (options: Options, providers: readonly ProviderName[]): readonly LimitedAmount[] => [
  { name: 'coresTotal', of: (node) => ofResource(node, CPU), range: options.coresTotal, unit: 1_000 },
  { name: 'memoryTotal', of: (node) => ofResource(node, MEMORY), range: options.memoryTotal, unit: GIB },
  ...options.gpuTotal.map(({ type, min, max }): LimitedAmount => ({
    name: `gpuTotal ${type}`,
    of: (node) => (gpuType(node, providers) === type ? gpusOf(node) : 0),
    range: { min, max },
    unit: 1,
  })),
];

export const isVirtual = ({ labels }: Node): boolean =>
  labels['type'] === 'virtual-kubelet' || labels[INSTANCE_TYPE_LABEL] === 'virtual-kubelet';

/** The capacity of a node that counts: none of a virtual kubelet. */
export const ofResource = (node: Node, resource: string): number =>
  isVirtual(node) ? 0 : (valueOf(node.capacity, resource) ?? 0);

const gpusOf = (node: Node): number => (isVirtual(node) ? 0 : gpusIn(node.capacity));

const gpuType = ({ labels }: Node, providers: readonly ProviderName[]): string =>
  providers.map((provider) => labels[GPU_LABEL[provider]]).find((type) => type !== undefined) ?? GENERIC_GPU;
