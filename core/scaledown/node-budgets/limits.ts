import type { DisruptionReason } from '../../model/disruption.ts';
import { budgetText, type DisruptionBudget } from '../../model/disruption-budget.ts';
import { inForceAt } from '../../model/schedule.ts';
import type { EpochMs } from '../../model/values/time.ts';

/** The most restrictive of some budgets. */
export interface Limit {
  /** How many nodes may be away at a time. */
  readonly nodes: number;
  /** The budget in its short form. */
  readonly budget: string;
  /** When its schedule ends, on the clock of its time zone (`2026-03-29 06:00 Europe/Berlin`); `null` for none in sight. */
  readonly until: string | null;
  /** Why an unreadable budget allows nothing; `null` for a readable one. */
  readonly unreadable: string | null;
}

/**
 * The most restrictive budget that is in force for a reason. Of a percentage a part of a node counts as one. A budget that
 * cannot be read, or of which it cannot be said whether it is in force, allows nothing. Follows
 * `GetAllowedDisruptionsByReason` of Karpenter's apis/v1/nodepool.go.
 *
 * @param total the nodes that a percentage is of.
 * @param reason `null`: any
 * @returns `null` where none is in force.
 */
export function limitOf(
  budgets: readonly DisruptionBudget[],
  reason: DisruptionReason | null,
  total: number,
  now: EpochMs,
): Limit | null {
  let least: Limit | null = null;
  for (const budget of budgets) {
    if (budget.reasons === null || reason === null || budget.reasons.includes(reason)) {
      const limit = limitBy(budget, total, now);
      least = limit !== null && (least === null || limit.nodes < least.nodes) ? limit : least;
    }
  }
  return least;
}

function limitBy(budget: DisruptionBudget, total: number, now: EpochMs): Limit | null {
  const { nodes, schedule } = budget;
  const text = budgetText(budget);
  const inForce = schedule === null ? null : inForceAt(schedule, now);
  const unreadable = budget.unreadable ?? (inForce?.ok === false ? inForce.error : null);
  if (unreadable !== null) {
    return { nodes: 0, budget: text, until: null, unreadable };
  }
  if (inForce?.ok === true && inForce.value === null) {
    return null;
  }
  const end = inForce?.ok === true ? (inForce.value?.until ?? null) : null;
  return {
    nodes: typeof nodes === 'number' ? nodes : Math.ceil((nodes.percent * total) / 100),
    budget: text,
    until: end === null || schedule === null ? null : `${end} ${schedule.timeZone}`,
    unreadable: null,
  };
}
