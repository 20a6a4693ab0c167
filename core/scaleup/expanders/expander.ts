import type { Node } from '../../model/cluster/node.ts';
import type { OptionFigures } from '../../model/decision.ts';
import type { NodeGroup } from '../../model/node-group.ts';
import { counted } from '../../model/values/counted.ts';
import type { Resources } from '../../model/values/resources.ts';

/** A way to help: raise this group by a number of nodes. */
export interface Option {
  readonly group: NodeGroup;
  readonly nodes: number;
  readonly pods: number;
  /** See `wasteOf`. */
  readonly waste: number;
  /**
   * The estimate was given up, because the first expander prefers another already: `nodes` and `pods` are of a part of
   * it, `waste` and `requested` are what the whole comes to at least and at most.
   */
  readonly incomplete: boolean;
  /** Similar groups, which may share the new nodes. */
  readonly similar: readonly NodeGroup[];
  /** A sample of the new nodes. */
  readonly node: Node;
  /** The sum of the pods' requests, every resource. */
  readonly requested: Resources;
}

/** An option while its nodes are still being counted. */
export interface PartOfOption {
  /** The groups that propose this option. */
  readonly groups: readonly NodeGroup[];
  /** A sample of the new nodes. */
  readonly node: Node;
  /** The least number. */
  readonly nodes: number;
  /** The most: all that a fresh node would take one of. */
  readonly pods: number;
  /** The sum of these pods' requests, every resource. */
  readonly requested: Resources;
}

/** A rule of choice: the options with the least score stay. */
export interface Expander {
  /** Less is better; infinite where the rule knows nothing of the option. Never `NaN`. */
  readonly score: (option: Option) => number;
  /**
   * The least that `score` can be in the end. Once that is more than the score of another option, this one has lost
   * and its estimate need not go on.
   */
  readonly bound: (part: PartOfOption) => number;
  /**
   * Do small differences in score mean nothing? Of options that are nearly as good, those with the smallest nodes stay
   * then. Absent: no.
   */
  readonly nearTies?: boolean;
  /** The figures that the rule went by, for people to see beside the option; absent where an option shows them by itself. */
  readonly figures?: (option: Option) => OptionFigures;
  /**
   * In words, with the figures that decided.
   *
   * @param options more than one.
   * @param left those that stay.
   */
  readonly explain: (options: readonly Option[], left: readonly Option[]) => string;
  /** The rule for these options. Absent where the score of an option depends on the option alone. */
  readonly within?: (options: readonly Option[]) => Expander;
  /** The rule has no answer about its options yet. */
  readonly isUnanswered?: boolean;
}

/** The options with the least score; several where their scores are exactly equal. */
export function best(options: readonly Option[], { score }: Pick<Expander, 'score'>): Option[] {
  const scores = options.map(score);
  const least = Math.min(...scores);
  return options.filter((_, i) => scores[i] === least);
}

/** The best option outside `left`; `null` when all options stay. */
export function nextBest(
  expander: Pick<Expander, 'score'>,
  options: readonly Option[],
  left: readonly Option[],
): Option | null {
  const stays = new Set(left);
  let best: Option | null = null;
  for (const option of options) {
    if (!stays.has(option) && (best === null || expander.score(option) < expander.score(best))) {
      best = option;
    }
  }
  return best;
}

/** All options stay, for a reason in words. */
export const neutral = (why: string): Expander => ({ score: () => 0, bound: () => 0, explain: () => why });

/** `1 node`, or `2 groups need 1 node` where several options stay. */
export const sharedText = (left: readonly Option[], verb: string, figure: string): string =>
  left.length === 1 ? figure : `${left.length} groups ${verb} ${figure}`;

/** `, the next best 4`; nothing where none is left behind. */
export const andNext = (next: string | null): string => (next === null ? '' : `, the next best ${next}`);

/** ` (1 group without a known price left out)`; nothing where none is. */
export const leftOutText = (count: number, what: string): string =>
  count === 0 ? '' : ` (${counted(count, 'group')} ${what} left out)`;
