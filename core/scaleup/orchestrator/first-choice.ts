import type { GroupName } from '../../model/values/names.ts';
import { type Chooser, chooserFor } from '../expanders/chooser.ts';
import type { PlanInput } from './plan-input.ts';

/** The chooser of the first decision of a plan, and that of those after it. */
export interface Choosers {
  readonly first: Chooser;
  readonly later: Chooser;
}

/**
 * The choosers of a plan. Where a variant names the group that comes first, no estimate of the plan is given up early,
 * since that group need not be the best.
 */
export function choosersFor({ scenario, variant }: PlanInput): Choosers {
  const usual = chooserFor(scenario);
  if (variant.first === null) {
    return { first: usual, later: usual };
  }
  const later = { ...usual, stopRule: null };
  return { first: choosing(variant.first, later), later };
}

const choosing = (first: GroupName, usual: Chooser): Chooser => ({
  ...usual,
  choose: (options, random) => {
    const winner = options.find(({ group }) => group.name === first);
    return winner === undefined
      ? usual.choose(options, random)
      : { winner, equals: [winner], why: 'the whole plan is cheaper when this group comes first' };
  },
  preferred: (options, random) =>
    options.find(({ group }) => group.name === first)?.group ?? usual.preferred(options, random),
});
