import { rounded } from '../../model/values/rounded.ts';
import { GPU_LABEL } from '../../model/accelerators.ts';
import { gpusIn } from '../../model/cluster/gpu.ts';
import type { Node } from '../../model/cluster/node.ts';
import { CPU, MEMORY, type Resources } from '../../model/values/resources.ts';
import { referencePrice } from '../../nodegroups/reference-price.ts';
import { type ProviderName, providerOf } from '../../model/provider.ts';
import type { Option } from './option.ts';
import { counted } from '../../model/values/counted.ts';
import { andNext, type Expander, nextBest } from './expander.ts';

const MIB = 2 ** 20;

/** Makes ratios of small prices less extreme; the price of a pod of 500m and 500 MiB. */
const STABILISATION = referencePrice({ [CPU]: 500, [MEMORY]: 500 * MIB });

/** Stands for the unfitness of nodes with GPUs: they are a last resort for others, and their CPU does not matter. */
const GPU_UNFITNESS = 1_000;

/** The number of cores that nodes had best have, by the number of nodes of the cluster. */
const PREFERRED_CORES = [
  { nodes: 2, cores: 1 },
  { nodes: 6, cores: 2 },
  { nodes: 20, cores: 4 },
  { nodes: 60, cores: 8 },
  { nodes: 200, cores: 16 },
  { nodes: Number.POSITIVE_INFINITY, cores: 32 },
] as const;

/** The facts about the cluster that the price expander goes by. */
export interface Market {
  /** The provider of groups that name no other one. */
  readonly provider: ProviderName;
  /** Nodes that are registered. */
  readonly nodes: number;
}

/**
 * The options that spend money best: the price of the new nodes against that of what the pods ask for, times how far
 * the nodes' size is from what suits a cluster of this size. The latter counts for less and less the more nodes are
 * needed. Options of groups without a known price are dropped; when none has one, all stay.
 *
 *     (nodes × price + s) / (price of the pods + s) × unfitness,   s = price of a pod of 500m and 500 MiB
 *     unfitness = (u − 1) × (1 − tanh((nodes − 1) / 15)) + 1,      u = max(preferred / cores, cores / preferred)
 *
 * Follows Cluster Autoscaler's expander/price.
 */
export function price(market: Market): Expander {
  const preferred = PREFERRED_CORES.find(({ nodes }) => market.nodes <= nodes)!.cores;
  const scoreOf = (option: Option): number => {
    const { group, nodes, node, requested } = option;
    if (group.price === null) {
      return Number.POSITIVE_INFINITY;
    }
    const unfitness = hasGpu(node, providerOf(group, market))
      ? GPU_UNFITNESS
      : suppressed(unfitnessOf(node, preferred), nodes);
    return valueOf(group.price, nodes, requested) * unfitness;
  };
  const cost = (option: Option): string =>
    `$${(option.group.price! * option.nodes).toFixed(3)}/h (score ${scoreOf(option).toFixed(2)})`;
  const expander: Expander = {
    score: scoreOf,
    bound: ({ groups, node, nodes, requested }) => {
      const prices = groups.flatMap((group) => group.price ?? []);
      // Unfitness only shrinks with more nodes: to 1, but for GPUs.
      const unfitness = groups.every((group) => hasGpu(node, providerOf(group, market))) ? GPU_UNFITNESS : 1;
      return prices.length === 0
        ? Number.POSITIVE_INFINITY
        : valueOf(Math.min(...prices), nodes, requested) * unfitness;
    },
    nearTies: true,
    figures: (option) =>
      scoreOf(option) === Number.POSITIVE_INFINITY
        ? {}
        : { price: rounded(option.group.price! * option.nodes), priceScore: rounded(scoreOf(option)) },
    explain: (options, left) => {
      if (scoreOf(left[0]!) === Number.POSITIVE_INFINITY) {
        return 'price: not used, no group that helps has a known price';
      }
      const known = options.filter((option) => scoreOf(option) < Number.POSITIVE_INFINITY);
      const next = nextBest(expander, known, left);
      const unknown = options.length - known.length;
      const dropped = unknown === 0 ? '' : ` (${counted(unknown, 'group')} without a known price left out)`;
      const many = left.length === 1 ? '' : `${left.length} groups at `;
      return `price: ${many}${cost(left[0]!)}${andNext(next === null ? null : cost(next))}${dropped}`;
    },
  };
  return expander;
}

const valueOf = (nodePrice: number, nodes: number, requested: Resources): number =>
  (nodePrice * nodes + STABILISATION) / (referencePrice(requested) + STABILISATION);

function unfitnessOf(node: Node, preferred: number): number {
  const cores = (node.capacity[CPU] ?? 0) / 1_000;
  return cores > 0 ? Math.max(preferred / cores, cores / preferred) : 1;
}

const suppressed = (unfitness: number, nodes: number): number =>
  (unfitness - 1) * (1 - Math.tanh((nodes - 1) / 15)) + 1;

/** For pods that ask for none such a node is a last resort. */
export const hasGpu = (node: Node, provider: ProviderName): boolean =>
  GPU_LABEL[provider] in node.labels || gpusIn(node.allocatable) > 0;
