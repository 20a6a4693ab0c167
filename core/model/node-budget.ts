import type { DisruptionReason } from './disruption.ts';
import { type Schedule, scheduleText } from './schedule.ts';
import { mapOptional, presentItems } from './values/optional.ts';

/** A share of the nodes there are, from 0 to 100; a part of a node counts as one, as in Karpenter. */
export interface Percentage {
  readonly percent: number;
}

/** How many nodes may be away at a time, for some reasons and at some times. Karpenter's `disruption.budgets`. */
export interface NodeBudget {
  readonly nodes: number | Percentage;
  /** `null`: for all. */
  readonly reasons: readonly DisruptionReason[] | null;
  /** `null`: at all times. */
  readonly schedule: Schedule | null;
  /** Why the budget cannot be read, in words: it then allows nothing. `null` for a readable budget. */
  readonly unreadable: string | null;
}

/** In place of budgets that cannot be read: nothing goes until they can. */
export const unreadableNodeBudget = (why: string): NodeBudget => ({
  nodes: 0,
  reasons: null,
  schedule: null,
  unreadable: why,
});

/** As documents and people write a reason. */
export const reasonText = (reason: DisruptionReason): string => reason.toLowerCase();

/** In the short form, as `0 of drifted,expired from 0 22 * * 1-5 for 8h in Europe/Berlin`. */
export function nodeBudgetText({ nodes, reasons, schedule }: Omit<NodeBudget, 'unreadable'>): string {
  return presentItems([
    typeof nodes === 'number' ? nodes : `${nodes.percent}%`,
    mapOptional(reasons, (some) => `of ${some.map(reasonText).join(',')}`),
    mapOptional(schedule, scheduleText),
  ]).join(' ');
}
