import { expect } from 'vitest';
import { evaluate } from '../../core/evaluate.ts';
import type { Decision } from '../../core/model/decision.ts';
import type { Scenario } from '../../core/model/scenario.ts';

/** Evaluates, and sees to it that no mistake of the program was kept to something: laws hold of what is left, too. */
export function evaluateSound(scenario: Scenario): Decision {
  const decision = evaluate(scenario);
  expect(decision.unexpectedErrors).toBeUndefined();
  return decision;
}
