import type { NodeBudgetReport } from '../model/decision.ts';
import { mapOptional, presentItems } from '../model/values/optional.ts';

/** A disruption budget that is in force, in words: `"10%": 2 of 20 nodes may be disrupted, and 1 is`. */
export function nodeBudgetReportText({
  budget,
  nodes,
  total,
  disrupting,
  until,
  unreadable,
}: NodeBudgetReport): string {
  if (unreadable !== undefined) {
    return `cannot be read, and no node goes until it can: ${unreadable}`;
  }
  const areDisrupted = disrupting === 1 ? '1 is' : `${disrupting} are`;
  const allowed = nodes === 0 ? 'no node may go' : `${nodes} of ${total} nodes may be disrupted, and ${areDisrupted}`;
  return presentItems([`"${budget}": ${allowed}`, mapOptional(until, (end) => `until ${end}`)]).join(', ');
}
