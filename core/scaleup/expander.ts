import { EXPANDERS, type ExpanderName } from '../model/options.ts';
import { leastWaste } from './expanders/least-waste.ts';
import { random } from './expanders/random.ts';
import type { Option } from './option.ts';

/** Narrows options down; never to none. */
type Expander = (options: readonly Option[], next: () => number) => readonly Option[];

const BY_NAME: Readonly<Record<ExpanderName, Expander>> = {
  random,
  'least-waste': leastWaste,
};

export interface Choice {
  readonly winner: Option;
  /** In words, with the figures that decided. */
  readonly why: string;
}

/**
 * Chooses by a chain of expanders: each narrows down what the one before has left, and what is left at the end is a
 * matter of chance. Follows Cluster Autoscaler's expander/factory/chain.go.
 *
 * @param options at least one, sorted by group name.
 * @param next the stream of random numbers.
 */
export function choose(options: readonly Option[], chain: readonly string[], next: () => number): Choice {
  if (options.length === 1) {
    return { winner: options[0]!, why: 'the only group that helps' };
  }
  let left = options;
  const steps: string[] = [];
  for (const name of [...chain.filter(isExpander), 'random' as const]) {
    if (left.length === 1) {
      break;
    }
    const before = left;
    left = BY_NAME[name](left, next);
    steps.push(explain(name, before, left));
  }
  return { winner: left[0]!, why: steps.join('; ') };
}

const isExpander = (name: string): name is ExpanderName => (EXPANDERS as readonly string[]).includes(name);

const percent = (waste: number): string => `${Math.round((waste / 2) * 100)} %`;

function explain(name: ExpanderName, before: readonly Option[], after: readonly Option[]): string {
  switch (name) {
    case 'least-waste': {
      const best = percent(after[0]!.waste);
      if (after.length > 1) {
        return `least-waste: ${after.length} groups leave ${best} unused`;
      }
      const second = Math.min(...before.filter((option) => option !== after[0]).map(({ waste }) => waste));
      return `least-waste: ${best} unused, the next best ${percent(second)}`;
    }
    case 'random':
      return `random: one of ${before.length} equals`;
  }
}
