import { describeError } from '../../model/fault.ts';
import type { Pod } from '../../model/cluster/pod.ts';
import { MOVE } from './outcome.ts';
import type { Drainability, DrainContext, DrainRule } from './rule.ts';
import { DRAIN_RULES } from './rules.ts';

/**
 * Applies the drain rules in their order; the first that decides has the last word. A pod for which a rule throws keeps
 * its node: what that rule would have decided is not known.
 */
export function drainabilityOf(pod: Pod, context: DrainContext): Drainability {
  for (const rule of DRAIN_RULES) {
    const decided = verdictOf(rule, pod, context);
    if (decided !== null) {
      return decided;
    }
  }
  return MOVE;
}

/** The decision of one rule. A rule that throws blocks the node. */
export function verdictOf({ name, decide }: DrainRule, pod: Pod, context: DrainContext): Drainability | null {
  try {
    return decide(pod, context);
  } catch (error) {
    const { message } = describeError(error);
    return {
      kind: 'Block',
      reason: 'UnexpectedError',
      message: `drain rule ${name} failed: ${message}`,
      fault: { rule: name, error },
    };
  }
}
