import { firstItem, required } from '../../model/values/existing.ts';
import { rounded } from '../../model/values/rounded.ts';
import { hasGpus } from '../../model/accelerators.ts';
import type { Scenario } from '../../model/scenario.ts';
import { CPU, MEMORY, type Resources } from '../../model/values/resources.ts';
import { referencePrice } from '../../nodegroups/cost.ts';
import { providerOf } from '../../model/provider.ts';
import { mapOptional } from '../../model/values/optional.ts';
import { andNext, type Expander, leftOutText, nextBest, type Option, sharedText } from './expander.ts';

const MIB = 2 ** 20;

/** Makes ratios of small prices less extreme; the price of a pod of 500m and 500 MiB. */
const STABILISATION = referencePrice({ [CPU]: 500, [MEMORY]: 500 * MIB });

/** Factor for nodes with GPUs: they are a last resort for pods that ask for none. */
const LAST_RESORT = 1_000;

/**
 * The options that spend money best: the price of the new nodes against that of what the pods ask for. Nodes with GPUs are a last
 * resort. Options of groups without a known price are dropped; when none has one, all stay. Nodes that cost nothing more come
 * first.
 *
 *     (nodes × price + s) / (price of the pods + s),   s = price of a pod of 500m and 500 MiB
 *
 * Follows Cluster Autoscaler's expander/price without its preference for nodes of a size that suits the cluster (decision 6).
 *
 * @param scenario has the provider of groups without a provider of their own.
 */
export function price(scenario: Pick<Scenario, 'provider'>): Expander {
  const scoreOf = (option: Option): number => {
    const { group, nodes, node, requested } = option;
    if (group.price === null) {
      return Number.POSITIVE_INFINITY;
    }
    return scoreAt(group.price, nodes, requested, hasGpus(node, providerOf(group, scenario)));
  };
  const cost = (option: Option): string => `$${totalPrice(option).toFixed(3)}/h (score ${scoreOf(option).toFixed(2)})`;
  const expander: Expander = {
    score: scoreOf,
    bound: ({ groups, node, nodes, requested }) => {
      const prices = groups.flatMap((group) => group.price ?? []);
      if (prices.length === 0) {
        return Number.POSITIVE_INFINITY;
      }
      const isLastResort = groups.every((group) => hasGpus(node, providerOf(group, scenario)));
      return scoreAt(Math.min(...prices), nodes, requested, isLastResort);
    },
    nearTies: true,
    figures: (option) => {
      const score = scoreOf(option);
      if (score === Number.POSITIVE_INFINITY) {
        return {};
      }
      return { price: rounded(totalPrice(option)), priceScore: rounded(score) };
    },
    explain: (options, left) => {
      if (scoreOf(firstItem(left)) === Number.POSITIVE_INFINITY) {
        return 'price: not used, no group that helps has a known price';
      }
      const known = options.filter((option) => scoreOf(option) < Number.POSITIVE_INFINITY);
      const next = andNext(mapOptional(nextBest(expander, known, left), cost));
      const leftOut = leftOutText(options.length - known.length, 'without a known price');
      return `price: ${sharedText(left, 'at', cost(firstItem(left)))}${next}${leftOut}`;
    },
  };
  return expander;
}

/** The price of all new nodes of a group with a known price, in USD per hour. */
const totalPrice = ({ group, nodes }: Option): number => required(group.price, `the price of ${group.name}`) * nodes;

/** Nodes that are paid for in any case are worth more than any others, however few pods they take. */
function scoreAt(nodePrice: number, nodes: number, requested: Resources, isLastResort: boolean): number {
  if (nodePrice === 0 && !isLastResort) {
    return 0;
  }
  const value = (nodePrice * nodes + STABILISATION) / (referencePrice(requested) + STABILISATION);
  return isLastResort ? value * LAST_RESORT : value;
}
