import { firstItem } from '../../model/values/existing.ts';
import { gpusIn } from '../../model/cluster/gpu.ts';
import { CPU } from '../../model/values/resources.ts';
import type { Expander, Option } from './expander.ts';

/** The options with the least score; several where their scores are exactly equal. */
export function best(options: readonly Option[], { score }: Pick<Expander, 'score'>): Option[] {
  const scores = options.map(score);
  const least = Math.min(...scores);
  return options.filter((_, i) => scores[i] === least);
}

/**
 * Selects the options with the smallest nodes, by CPU, among options that a rule finds nearly as good as the best: many
 * small nodes can be removed one by one, a large one stays as long as any of its pods does (decision 19). An option is
 * not nearly as good if it helps fewer pods than the best, if its nodes have more GPUs, or if it costs more than
 * `ratio` more where prices are known.
 *
 * @param exact the options with the least score; returned as they are where the rule knows no near-ties.
 */
export function preferSmallNodes(options: readonly Option[], exact: Option[], rule: Expander, ratio: number): Option[] {
  const least = rule.score(firstItem(exact));
  if (rule.nearTies !== true || ratio === 0 || !Number.isFinite(least)) {
    return exact;
  }
  const pods = Math.max(...exact.map((option) => option.pods));
  const gpus = Math.min(...exact.map(({ node }) => gpusIn(node.capacity)));
  const cost = Math.min(...exact.map(costOf));
  const near = options.filter(
    (option) =>
      !option.cutShort &&
      rule.score(option) <= least * (1 + ratio) &&
      option.pods >= pods &&
      gpusIn(option.node.capacity) <= gpus &&
      !(costOf(option) > cost * (1 + ratio)),
  );
  const among = near.length === 0 ? exact : near;
  const fewest = Math.min(...among.map(cores));
  return best(
    among.filter((option) => cores(option) === fewest),
    rule,
  );
}

const cores = ({ node }: Option): number => node.capacity[CPU] ?? 0;

/** USD per hour; `NaN`, which compares as neither more nor less, where the price is unknown. */
const costOf = ({ group, nodes }: Option): number => (group.price ?? Number.NaN) * nodes;

/** When an estimate may be given up: not while it may still come out nearly as good as the best. */
export function stopRuleOf(rule: Expander, ratio: number): Pick<Expander, 'score' | 'bound'> {
  if (rule.nearTies !== true) {
    return rule;
  }
  return {
    score: rule.score,
    bound: (part) => {
      const bound = rule.bound(part);
      return bound > 0 ? bound / (1 + ratio) : bound;
    },
  };
}
