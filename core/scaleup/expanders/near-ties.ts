import { gpusIn } from '../../model/cluster/gpu.ts';
import { CPU } from '../../model/values/resources.ts';
import type { Expander } from './expander.ts';
import type { Option } from './option.ts';

/** Those with the least score; all of them where several have it exactly. */
export function best(options: readonly Option[], { score }: Pick<Expander, 'score'>): Option[] {
  const scores = options.map(score);
  const least = Math.min(...scores);
  return options.filter((_, i) => scores[i] === least);
}

/**
 * Of options that a rule finds nearly as good as the best, those with the smallest nodes, by CPU: many small nodes can go
 * one by one, a large one stays as long as any of its pods does (decision 19). An option that helps fewer pods than the
 * best, whose nodes have GPUs that those of the best have not, or that costs more than `ratio` more where prices are known,
 * is not nearly as good.
 *
 * @param exact the options with the least score; returned as they are where the rule knows no near-ties.
 */
export function preferSmallNodes(options: readonly Option[], exact: Option[], rule: Expander, ratio: number): Option[] {
  const least = rule.score(exact[0]!);
  if (!rule.nearTies || ratio === 0 || !Number.isFinite(least)) {
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

/** USD per hour; `NaN`, which is neither more nor less than anything, where it is not known. */
const costOf = ({ group, nodes }: Option): number => (group.price ?? Number.NaN) * nodes;

/** When an estimate may be given up: not while it may still come out nearly as good as the best. */
export const stopRuleOf = (rule: Expander, ratio: number): Pick<Expander, 'score' | 'bound'> =>
  rule.nearTies
    ? {
        score: rule.score,
        bound: (part) => {
          const bound = rule.bound(part);
          return bound > 0 ? bound / (1 + ratio) : bound;
        },
      }
    : rule;
