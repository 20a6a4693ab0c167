import type { NodeBudget } from '../../../../core/model/node-budget.ts';
import { parseNodeBudgets } from '../../../../providers/schema/node-budgets.ts';

/** From their short form. */
export function budgets(text: string): readonly NodeBudget[] {
  const parsed = parseNodeBudgets(text);
  if (!parsed.ok) {
    throw new Error(parsed.error);
  }
  return parsed.value;
}
