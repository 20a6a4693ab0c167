import type { Unremovable } from '../model/decision.ts';
import type { DisruptionReason } from '../model/disruption.ts';
import { groupOption } from '../model/node-group.ts';
import type { NodeName } from '../model/values/names.ts';
import { NODE_MESSAGES } from '../words/node-messages.ts';
import { type DeletableNode, withinDeletionLimits } from './deletion-limits.ts';
import { isEmpty } from './candidates.ts';
import type { NodeBudgetHold, NodeBudgetTracker } from './node-budgets/node-budget-tracker.ts';
import { isOnlyUnneeded, removableNow } from './removable.ts';
import type { RemovalContext } from './removal-context.ts';
import type { RemovalCandidate } from './unneeded.ts';

/** The removals that limits allow now. */
export interface LimitedRemovals {
  readonly removed: readonly RemovalCandidate[];
  /** Why other candidates stay. */
  readonly kept: readonly Unremovable[];
  /** Some would be removed, but for the cool-down of their groups. */
  readonly cooling: boolean;
}

/**
 * The candidates that are removed now: as far as times, minimums, cool-downs, disruption budgets and the numbers of
 * parallel removals allow.
 */
export function applyLimits(context: RemovalContext, candidates: readonly RemovalCandidate[]): LimitedRemovals {
  const { hold } = context;
  const { nodes, unremovable, cooling } = removableNow(candidates, context);
  // A node whose pods have places kept for them waits for no delay, nor does one that goes for another reason than its cost.
  const may = nodes.filter((one) => hold.whole === null || (hold.unknown === null && !isOnlyUnneeded(one)));
  const { removed, kept } = withinLimits(may, context);
  return { removed, kept: [...unremovable, ...kept], cooling };
}

/** The nodes that disruption budgets and the numbers of parallel removals allow. */
function withinLimits(
  nodes: readonly RemovalCandidate[],
  { scenario: { options, state }, nodeBudgets }: RemovalContext,
): Pick<LimitedRemovals, 'removed' | 'kept'> {
  const rows = nodes.map((unneeded) => ({
    unneeded,
    node: unneeded.candidate.node.name,
    group: unneeded.candidate.group.name,
    empty: isEmpty(unneeded.candidate),
    atomic: groupOption(options, unneeded.candidate.group, 'zeroOrMaxNodeScaling'),
  }));
  const held = heldRows(rows, nodeBudgets);
  const allowed = rows.filter((row) => !held.has(row));
  const go = new Set(withinDeletionLimits(allowed, options, state));
  return {
    removed: allowed.filter((row) => go.has(row)).map(({ unneeded }) => unneeded),
    kept: rows
      .filter((row) => !go.has(row))
      .map((row): Unremovable => {
        const { reason, message } = held.get(row) ?? {
          reason: 'NodeGroupMaxDeletionCountReached',
          message: NODE_MESSAGES.maxDeletions(row.empty),
        };
        return { node: row.node, reason, message };
      }),
  };
}

interface Row extends DeletableNode {
  readonly node: NodeName;
  readonly unneeded: RemovalCandidate;
}

/**
 * The rows that a disruption budget holds, and why. Groups that are removed as a whole need the budget for all of their
 * nodes, and ask first, as for the number of parallel removals.
 */
function heldRows<T extends Row>(rows: readonly T[], nodeBudgets: NodeBudgetTracker): ReadonlyMap<T, NodeBudgetHold> {
  const held = new Map<T, NodeBudgetHold>();
  const wholes = Map.groupBy(
    rows.filter(({ atomic }) => atomic),
    ({ group }) => group,
  );
  const others = rows.filter(({ atomic }) => !atomic).map((row) => [row]);
  for (const together of [...wholes.values(), ...others]) {
    const hold = nodeBudgets.take(together, reasonOf(together));
    if (hold !== null) {
      together.forEach((row) => held.set(row, hold));
    }
  }
  return held;
}

/** Why these are removed: ordinary scale-down has no other reasons than the two. */
const reasonOf = ([first, ...others]: readonly Row[]): DisruptionReason =>
  first?.unneeded.reason ?? (first?.empty === true && others.every(({ empty }) => empty) ? 'Empty' : 'Underutilized');
