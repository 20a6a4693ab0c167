import type { NodeBudgetReport } from '../model/decision.ts';
import { mapOptional, presentItems } from '../model/values/optional.ts';

/** A disruption budget that is in force, in words: `"10%": 2 of 20 nodes may be unavailable, and 1 is`. */
export function nodeBudgetReportText({
  budget,
  nodes,
  total,
  disrupting,
  until,
  unreadable,
}: NodeBudgetReport): string {
  if (unreadable !== undefined) {
    return `cannot be read, so no node is removed: ${unreadable}`;
  }
  const areUnavailable = disrupting === 1 ? '1 is' : `${disrupting} are`;
  const allowed =
    nodes === 0 ? 'no node may be removed' : `${nodes} of ${total} nodes may be unavailable, and ${areUnavailable}`;
  return presentItems([`"${budget}": ${allowed}`, mapOptional(until, (end) => `until ${end}`)]).join(', ');
}
