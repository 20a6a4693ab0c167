import type { OptionFigures } from '../../model/decision.ts';
import type { Option, PartOfOption } from './option.ts';

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
   * then.
   */
  readonly nearTies: boolean;
  /** The figures that the rule went by, for people to see beside the option; none where an option shows them by itself. */
  readonly figures: (option: Option) => OptionFigures;
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

/** `, the next best 4`; nothing where none is left behind. */
export const andNext = (next: string | null): string => (next === null ? '' : `, the next best ${next}`);
