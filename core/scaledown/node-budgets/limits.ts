import type { DisruptionReason } from '../../model/disruption.ts';
import { nodeBudgetText, type NodeBudget } from '../../model/node-budget.ts';
import { inForceAt } from '../../model/schedule.ts';
import { mapOptional } from '../../model/values/optional.ts';
import { ok } from '../../model/values/result.ts';
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
  budgets: readonly NodeBudget[],
  reason: DisruptionReason | null,
  total: number,
  now: EpochMs,
): Limit | null {
  let least: Limit | null = null;
  for (const budget of budgets) {
    if (budget.reasons === null || reason === null || budget.reasons.includes(reason)) {
      const limit = limitBy(budget, total, now);
      if (limit !== null && (least === null || limit.nodes < least.nodes)) {
        least = limit;
      }
    }
  }
  return least;
}

function limitBy(budget: NodeBudget, total: number, now: EpochMs): Limit | null {
  const { nodes, schedule } = budget;
  if (budget.unreadable !== null) {
    return closedFor(budget, budget.unreadable);
  }
  const inForce = mapOptional(schedule, (given) => inForceAt(given, now)) ?? ALWAYS;
  if (!inForce.ok) {
    return closedFor(budget, inForce.error);
  }
  if (inForce.value === null) {
    return null;
  }
  const { until } = inForce.value;
  return {
    nodes: typeof nodes === 'number' ? nodes : Math.ceil((nodes.percent * total) / 100),
    budget: nodeBudgetText(budget),
    until: until === null || schedule === null ? null : `${until} ${schedule.timeZone}`,
    unreadable: null,
  };
}

/** A budget without a schedule is in force without an end. */
const ALWAYS = ok({ until: null });

const closedFor = (budget: NodeBudget, unreadable: string): Limit => ({
  nodes: 0,
  budget: nodeBudgetText(budget),
  until: null,
  unreadable,
});
