import type { DisruptionBudget } from '../../../core/model/disruption-budget.ts';
import type { Removal } from '../../../core/model/decision.ts';
import { awayAfter, budgetsInForce, mostOf } from '../drawn-budgets.ts';
import type { Invariant } from './invariant.ts';

/**
 * No node is removed beyond a disruption budget, by what the decision was told: while a budget of the cluster or of a group is in force, of all nodes
 * no more are on their way out than it allows as soon as one is added to them, and for a reason of which it allows none,
 * none is added. Schedules are those that are drawn: minutes of each hour. Notices are answered whatever budgets say.
 */
export const disruptionsWithinBudgets: Invariant = {
  name: 'no removal beyond a disruption budget',
  watch: (_stage, violate, judge) => ({
    decided: (scenario, decision) => {
      for (const { budget, scope, has } of budgetsInForce(scenario)) {
        const removals = decision.scaleDown.removals.filter((one) => has(one.node) && isAbout(budget, one));
        const most = mostOf(budget, scope);
        const leaving = awayAfter(scope, decision);
        if (removals.length === 0) {
          continue;
        }
        judge(false);
        if (most === 0 || (budget.reasons === null && leaving > most)) {
          const names = removals.map(({ node }) => node).join(', ');
          violate(`${names}: ${leaving} nodes are on their way out, and ${most} may be (${JSON.stringify(budget)})`);
        }
      }
    },
  }),
};

const isAbout = ({ reasons }: DisruptionBudget, { kind, reason }: Removal): boolean =>
  reasons?.includes(reason ?? (kind === 'empty' ? 'Empty' : 'Underutilized')) ?? true;
