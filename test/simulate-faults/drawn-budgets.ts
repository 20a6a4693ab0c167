import type { DisruptionBudget } from '../../core/model/disruption-budget.ts';
import type { Decision } from '../../core/model/decision.ts';
import type { NodeName } from '../../core/model/values/names.ts';
import type { NodeGroup } from '../../core/model/node-group.ts';
import type { Scenario } from '../../core/model/scenario.ts';
import type { EpochMs } from '../../core/model/values/time.ts';

/** A budget that is in force, and the scenario of the groups that it is for. */
export interface InForce {
  readonly budget: DisruptionBudget;
  readonly scope: Scenario;
  /** Is this node of one of these groups? */
  readonly has: (node: NodeName) => boolean;
}

/** Those of the cluster, and those of its groups. */
export function budgetsInForce(scenario: Scenario): readonly InForce[] {
  const { options, nodeGroups, now } = scenario;
  const of = (budgets: readonly DisruptionBudget[], groups: readonly NodeGroup[]): readonly InForce[] => {
    const names = new Set(groups.flatMap(({ nodes }) => nodes));
    return budgets
      .filter((budget) => isInForce(budget, now))
      .map((budget) => ({ budget, scope: { ...scenario, nodeGroups: groups }, has: (node) => names.has(node) }));
  };
  return [
    ...of(options.disruptionBudgets, nodeGroups),
    ...nodeGroups.flatMap((group) => of(group.options.disruptionBudgets ?? [], [group])),
  ];
}

/** The minutes of each hour in which a drawn budget is in force; the drawn time zones are whole hours apart. */
const isInForce = ({ schedule }: DisruptionBudget, now: EpochMs): boolean =>
  schedule === null || (Math.floor(now / 60_000) % 15) * 60_000 < schedule.duration;

/** At most: of all nodes that are known, new ones too. */
export const mostOf = ({ nodes }: DisruptionBudget, { nodeGroups }: Scenario): number =>
  typeof nodes === 'number'
    ? nodes
    : Math.ceil((nodes.percent * nodeGroups.reduce((sum, group) => sum + group.nodes.length, 0)) / 100);

/** At least: those whose removal is decided, and these that wait, as far as their instances do not end yet. */
export function awayAfter(
  { nodeGroups, objects, state }: Scenario,
  { scaleDown }: Decision,
  waiting: readonly NodeName[] = [],
): number {
  const there = new Set(objects.nodes.map(({ name }) => name));
  const ending = new Set(
    nodeGroups.flatMap(({ instances }) =>
      instances.flatMap(({ node, state: of }) => (of === 'Deleting' ? (node ?? []) : [])),
    ),
  );
  const members = new Set(nodeGroups.flatMap(({ nodes }) => nodes));
  const leaving = [...state.deletionsInProgress, ...scaleDown.removals].map(({ node }) => node);
  return [...new Set([...leaving, ...waiting])].filter(
    (node) => there.has(node) && members.has(node) && !ending.has(node),
  ).length;
}
