import type { Removal } from '../../../core/model/decision.ts';
import type { NodeBudget } from '../../../core/model/node-budget.ts';
import { isBeingRemoved } from '../../../core/model/cluster/removal-taints.ts';
import type { Scenario } from '../../../core/model/scenario.ts';
import type { State } from '../../../core/model/state.ts';
import type { NodeName } from '../../../core/model/values/names.ts';
import type { EpochMs } from '../../../core/model/values/time.ts';
import { members } from '../truth.ts';
import type { Invariant, Stage } from './invariant.ts';

/** A decision, as far as budgets are about it. */
interface Deciding {
  readonly seen: Scenario;
  readonly removals: readonly Removal[];
}

/**
 * No removal is decided while a disruption budget of the cluster or of the node's group allows none for its reason, or while as
 * many nodes are away as the budget allows: nodes whose removal is ordered, or that bear the taint of a removal. Notices are
 * answered whatever budgets say.
 */
export const disruptionsWithinBudgets: Invariant = {
  name: 'no removal beyond a disruption budget',
  watch: (stage, violate, count) => {
    const { scenario, drains } = stage;
    const deciding = new WeakMap<State, Deciding>();
    return {
      decided: (seen, { state, scaleDown }) => {
        deciding.set(state, { seen, removals: scaleDown.removals });
      },
      committed: ({ state }) => {
        const { seen, removals } = deciding.get(state) ?? { removals: [] };
        if (seen === undefined || removals.length === 0) {
          return;
        }
        const backing = new Set(
          drains().flatMap(({ drain }) =>
            drain.outcome?.kind === 'rolledBack' || drain.phase === 'RollingBack' ? drain.node : [],
          ),
        );
        const away = awayIn(stage).filter((node) => !backing.has(node) || removals.some((one) => one.node === node));
        const scopes = [
          { budgets: scenario.options.disruptionBudgets, nodes: seen.nodeGroups.flatMap(({ nodes }) => nodes) },
          ...seen.nodeGroups.map(({ name, nodes }) => ({
            budgets: scenario.groups.find((group) => group.name === name)?.options.disruptionBudgets ?? [],
            nodes,
          })),
        ];
        for (const { budgets, nodes } of scopes) {
          const own = removals.filter(({ node }) => nodes.includes(node));
          for (const budget of budgets.filter((one) => isInForce(one, seen.now))) {
            const about = own.filter((one) => isAbout(budget, one));
            const most = mostOf(budget, nodes.length);
            const gone = away.filter((node) => nodes.includes(node));
            if (about.length === 0) {
              continue;
            }
            count(true);
            if (most === 0 || (budget.reasons === null && gone.length > most)) {
              violate(
                `${about.map(({ node }) => node).join(', ')} are to be removed, ${gone.join(', ') || 'no nodes'} are away, and ` +
                  `${most} may be (${JSON.stringify(budget)})`,
              );
            }
          }
        }
      },
    };
  },
};

/** Nodes that leave or are about to, and whose instances do not terminate yet. */
function awayIn({ orders, world: { api, scaling } }: Stage): readonly NodeName[] {
  const ordered = new Set(
    orders.open().flatMap((one) => (one.kind === 'RemoveNodes' ? one.nodes.map(({ node }) => node) : [])),
  );
  return scaling.groups().flatMap((view) =>
    members(view).flatMap(({ node: name }) => {
      const node = name === null ? undefined : api.nodes.get(name);
      return node !== undefined && (isBeingRemoved(node) || ordered.has(node.name)) ? node.name : [];
    }),
  );
}

/** Drawn budgets are in force in the first minutes of each quarter of an hour; the drawn time zones are whole hours apart. */
const isInForce = ({ schedule }: NodeBudget, now: EpochMs): boolean =>
  schedule === null || (Math.floor(now / 60_000) % 15) * 60_000 < schedule.duration;

const mostOf = ({ nodes }: NodeBudget, total: number): number =>
  typeof nodes === 'number' ? nodes : Math.ceil((nodes.percent * total) / 100);

const isAbout = ({ reasons }: NodeBudget, { kind, reason }: Removal): boolean =>
  reasons?.includes(reason ?? (kind === 'empty' ? 'Empty' : 'Underutilized')) ?? true;
