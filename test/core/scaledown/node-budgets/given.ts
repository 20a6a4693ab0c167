import type { DisruptionBudget } from '../../../../core/model/disruption-budget.ts';
import { parseBudgets } from '../../../../providers/schema/disruption-budgets.ts';

/** From their short form. */
export function budgets(text: string): readonly DisruptionBudget[] {
  const parsed = parseBudgets(text);
  if (!parsed.ok) {
    throw new Error(parsed.error);
  }
  return parsed.value;
}
