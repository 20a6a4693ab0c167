import type { DisruptionBudget } from '../../../core/model/disruption-budget.ts';
import type { Decision, Removal } from '../../../core/model/decision.ts';
import type { Scenario } from '../../../core/model/scenario.ts';
import type { EpochMs } from '../../../core/model/values/time.ts';
import type { Invariant } from './invariant.ts';

/**
 * No node is removed beyond a disruption budget, by what the decision was told: while a budget is in force, of all nodes
 * no more are on their way out than it allows as soon as one is added to them, and for a reason of which it allows none,
 * none is added. Schedules are those that are drawn: minutes of each hour. Notices are answered whatever budgets say.
 */
export const disruptionsWithinBudgets: Invariant = {
  name: 'no removal beyond a disruption budget',
  watch: ({ scenario: { drawn } }, violate, judge) => ({
    decided: (scenario, decision) => {
      if (!drawn.includes('disruptionBudgets')) {
        return;
      }
      for (const budget of scenario.options.disruptionBudgets.filter((one) => isInForce(one, scenario.now))) {
        const removals = decision.scaleDown.removals.filter((removal) => isAbout(budget, removal));
        const most = mostOf(budget, scenario);
        const leaving = leavingAfter(scenario, decision);
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

/** The minutes of each hour in which a drawn budget is in force; the drawn time zones are whole hours apart. */
const isInForce = ({ schedule }: DisruptionBudget, now: EpochMs): boolean =>
  schedule === null || (Math.floor(now / 60_000) % 15) * 60_000 < schedule.duration;

/** At most: of all nodes that are known, new ones too. */
const mostOf = ({ nodes }: DisruptionBudget, { nodeGroups }: Scenario): number =>
  typeof nodes === 'number'
    ? nodes
    : Math.ceil((nodes.percent * nodeGroups.reduce((sum, group) => sum + group.nodes.length, 0)) / 100);

/** At least: those whose removal is decided and whose instances do not end yet. */
function leavingAfter({ nodeGroups, objects, state }: Scenario, { scaleDown }: Decision): number {
  const there = new Set(objects.nodes.map(({ name }) => name));
  const ending = new Set(
    nodeGroups.flatMap(({ instances }) =>
      instances.flatMap(({ node, state: of }) => (of === 'Deleting' ? (node ?? []) : [])),
    ),
  );
  const members = new Set(nodeGroups.flatMap(({ nodes }) => nodes));
  const leaving = new Set([...state.deletionsInProgress, ...scaleDown.removals].map(({ node }) => node));
  return [...leaving].filter((node) => there.has(node) && members.has(node) && !ending.has(node)).length;
}
