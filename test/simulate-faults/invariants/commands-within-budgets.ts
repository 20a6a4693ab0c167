import type { DisruptionBudget } from '../../../core/model/disruption-budget.ts';
import type { Disruption } from '../../../core/model/disruption.ts';
import { awayAfter, budgetsInForce, mostOf } from '../drawn-budgets.ts';
import type { Invariant } from './invariant.ts';

/**
 * No node begins to wait for its replacement while a disruption budget allows none of its kind, or as many are away as it
 * allows: nodes that leave, by what the decision was told, and nodes that wait. As for removals, schedules are those that are drawn.
 */
export const commandsWithinBudgets: Invariant = {
  name: 'no replacement begins beyond a disruption budget',
  watch: (_stage, violate, judge) => ({
    decided: (scenario, decision) => {
      const begun = (decision.state.disruptions ?? []).filter(
        ({ since, nodes }) =>
          since === scenario.now &&
          !(scenario.state.disruptions ?? []).some((one) => one.nodes.some((node) => nodes.includes(node))),
      );
      const waiting = (decision.state.disruptions ?? []).flatMap(({ nodes }) => nodes);
      for (const { budget, scope, has } of begun.length === 0 ? [] : budgetsInForce(scenario)) {
        const own = begun.filter((command) => command.nodes.some(has) && isAbout(budget, command));
        const most = mostOf(budget, scope);
        const away = awayAfter(scope, decision, waiting);
        if (own.length === 0) {
          continue;
        }
        judge(false);
        if (most === 0 || (budget.reasons === null && away > most)) {
          const names = own.flatMap(({ nodes }) => nodes).join(', ');
          violate(`${names} begin to wait: ${away} nodes are away, and ${most} may be (${JSON.stringify(budget)})`);
        }
      }
    },
  }),
};

const isAbout = ({ reasons }: DisruptionBudget, { reason }: Disruption): boolean => reasons?.includes(reason) ?? true;
