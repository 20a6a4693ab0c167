import { firstItem, itemAt } from '../../model/values/existing.ts';
import { gpusIn } from '../../model/cluster/gpu.ts';
import { CPU } from '../../model/values/resources.ts';
import { byName } from '../../model/values/names.ts';
import type { OptionFigures } from '../../model/decision.ts';
import type { NodeGroup } from '../../model/node-group.ts';
import type { ExpanderName } from '../../model/options.ts';
import type { ExternalChoice } from '../../model/external-choice.ts';
import { PRIORITY_CONFIG_MAP, type PriorityTiers } from '../../model/cluster/priorities.ts';
import type { Scenario } from '../../model/scenario.ts';
import { leastNodes, leastWaste, mostPods } from './by-figure.ts';
import { best, type Expander, type Option } from './expander.ts';
import { price } from './price.ts';
import { priority } from './priority.ts';
import { external } from './external.ts';
import { warmestOf, warmFigures, whyWarmest } from './warm-pool.ts';

export interface Choice {
  readonly winner: Option;
  /** The winner and the options that chance might have chosen instead. */
  readonly equals: readonly Option[];
  /** In words, with the figures that decided. */
  readonly why: string;
  /** The options that the expander `external` has no answer about; none where it has one, or was not reached. */
  readonly unanswered: readonly Option[];
}

/** Chooses among options by a chain of expanders. */
export interface Chooser {
  /**
   * Each expander narrows down what the one before has left, never to nothing. Of what is left at the end the options with
   * the most of their nodes in warm pools come first; the rest is a matter of chance. The order of the options makes no difference.
   *
   * @param options at least one.
   * @param next the stream of random numbers.
   */
  readonly choose: (options: readonly Option[], next: () => number) => Choice;
  /**
   * The preferred group among several that would grow alike: as `choose`, before the number of nodes is known, and so
   * without the expander `external`.
   */
  readonly preferred: (options: readonly Option[], next: () => number) => NodeGroup;
  /**
   * The figures that the expanders of the chain go by, and the nodes that come from warm pools, for people to see
   * beside the option.
   */
  readonly figures: (option: Option) => OptionFigures;
  /**
   * When an estimate may be given up: once `bound` of what there is of it is more than `score` of any other option, the
   * first expander drops it. `null` when the first expander asks nothing of an option.
   */
  readonly stopRule: Pick<Expander, 'score' | 'bound'> | null;
}

/** The facts that expanders go by beside the options themselves. */
export interface ExpanderContext extends Pick<Scenario, 'provider'> {
  /** `null` when there is no such ConfigMap. */
  readonly priorities: PriorityTiers | null;
  /** The namespace of that ConfigMap. */
  readonly namespace: string;
  /** The option `nearTieRatio`. */
  readonly nearTieRatio: number;
  readonly externalChoices: readonly ExternalChoice[];
}

/** The chooser that the scenario's options ask for. */
export const chooserFor = ({ options, objects, provider, externalChoices = [] }: Scenario): Chooser =>
  createChooser(options.expander, {
    nearTieRatio: options.nearTieRatio,
    externalChoices,
    provider,
    namespace: options.namespace,
    priorities:
      objects.configMaps.find(
        ({ namespace, name }) => namespace === options.namespace && name === PRIORITY_CONFIG_MAP.name,
      )?.priorities ?? null,
  });

/**
 * Follows Cluster Autoscaler's expander/factory/chain.go.
 *
 * @param chain names of `EXPANDERS`; nothing comes after `random`.
 */
export function createChooser(chain: readonly string[], context: ExpanderContext): Chooser {
  const ruled = chain.includes('random') ? chain.slice(0, chain.indexOf('random')) : chain;
  const rules = ruled.filter(isRule).map((name) => RULES[name](context));
  const chooseBy = (some: readonly Expander[], options: readonly Option[], next: () => number): Choice => {
    let left = options.toSorted((a, b) => byName(a.group.name, b.group.name));
    if (left.length === 1) {
      return { winner: firstItem(left), equals: left, why: 'the only node group that fits', unanswered: [] };
    }
    const steps: string[] = [];
    let unanswered: readonly Option[] = [];
    for (const one of some) {
      if (left.length === 1) {
        break;
      }
      const before = left;
      const rule = one.within?.(before) ?? one;
      const exact = best(before, rule);
      left = preferSmallNodes(before, exact, rule, context.nearTieRatio);
      const near = exact.includes(firstItem(left))
        ? ''
        : `, as good as the best within nearTieRatio ${context.nearTieRatio}, and its nodes are smaller`;
      steps.push(rule.explain(before, left) + near);
      if (rule.isUnanswered === true) {
        unanswered = before;
      }
    }
    const warmest = warmestOf(left);
    if (warmest.length < left.length) {
      steps.push(whyWarmest(left, warmest));
      left = warmest;
    }
    if (left.length > 1) {
      steps.push(`random: one of ${left.length} equals`);
    }
    return { winner: random(left, next), equals: left, why: steps.join('; '), unanswered };
  };
  const immediate = rules.filter(({ within }) => within === undefined);
  return {
    choose: (options, next) => chooseBy(rules, options, next),
    preferred: (options, next) => chooseBy(immediate, options, next).winner.group,
    figures: (option) =>
      Object.assign({}, ...rules.map((rule) => rule.figures?.(option)), warmFigures(option)) as OptionFigures,
    stopRule: rules[0] === undefined || rules[0] !== immediate[0] ? null : stopRuleOf(rules[0], context.nearTieRatio),
  };
}

/**
 * Selects the options with the smallest nodes, by CPU, among options that a rule finds nearly as good as the best: many
 * small nodes can be removed one by one, a large one stays as long as any of its pods does (decision 19). An option is
 * not nearly as good if it helps fewer pods than the best, if its nodes have more GPUs, or if it costs more than
 * `ratio` more where prices are known.
 *
 * @param exact the options with the least score; returned as they are where the rule knows no near-ties.
 */
function preferSmallNodes(options: readonly Option[], exact: Option[], rule: Expander, ratio: number): Option[] {
  const least = rule.score(firstItem(exact));
  if (rule.nearTies !== true || ratio === 0 || !Number.isFinite(least)) {
    return exact;
  }
  const pods = Math.max(...exact.map((option) => option.pods));
  const gpus = Math.min(...exact.map(({ node }) => gpusIn(node.capacity)));
  const cost = Math.min(...exact.map(costOf));
  const near = options.filter(
    (option) =>
      !option.incomplete &&
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
function stopRuleOf(rule: Expander, ratio: number): Pick<Expander, 'score' | 'bound'> {
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

type RuleName = Exclude<ExpanderName, 'random'>;

const RULES: Readonly<Record<RuleName, (context: ExpanderContext) => Expander>> = {
  'least-waste': () => leastWaste,
  'least-nodes': () => leastNodes,
  'most-pods': () => mostPods,
  priority: ({ priorities, namespace }) => priority(priorities, namespace),
  price,
  external: ({ externalChoices }) => external(externalChoices),
};

const isRule = (name: string): name is RuleName => Object.hasOwn(RULES, name);

/** Any one of the options, chosen by the stream alone; a single option leaves the stream as it is. */
const random = (options: readonly Option[], next: () => number): Option =>
  options.length === 1 ? firstItem(options) : itemAt(options, Math.floor(next() * options.length));
