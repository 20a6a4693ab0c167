import { present } from '../../model/values/present.ts';
import type { NodeBudgetReport, UnremovableReason } from '../../model/decision.ts';
import { type DisruptionReason, waitingNodes } from '../../model/disruption.ts';
import type { NodeBudget } from '../../model/node-budget.ts';
import type { NodeGroup } from '../../model/node-group.ts';
import type { Scenario } from '../../model/scenario.ts';
import { getOrMake } from '../../model/values/get-or-make.ts';
import type { GroupName, NodeName } from '../../model/values/names.ts';
import { mapOptional } from '../../model/values/optional.ts';
import { epochMs, type EpochMs, minutes } from '../../model/values/time.ts';
import type { Registry } from '../../registry/registry.ts';
import { NODE_MESSAGES } from '../../words/node-messages.ts';
import { awayCounter } from './away.ts';
import { type Limit, limitOf } from './limits.ts';

/** A node that is to go, and its node group. */
export interface NodeInGroup {
  readonly node: NodeName;
  readonly group: GroupName;
}

/** The budget that keeps nodes from being removed. */
export interface NodeBudgetHold {
  readonly reason: Extract<UnremovableReason, 'DisruptionBudgetReached' | 'DisruptionBudgetUnreadable'>;
  readonly message: string;
  /** The budget allows none, however many nodes are away. */
  readonly zero: boolean;
}

/** The removals that disruption budgets allow, in one evaluation. */
export interface NodeBudgetTracker {
  /** May these nodes be removed together, beside the nodes that were taken? `null`: they may. */
  readonly blockedBy: (nodes: readonly NodeInGroup[], reason: DisruptionReason) => NodeBudgetHold | null;
  /** Do schedules of budgets that allow no removal of these nodes now end soon enough to allow one by `deadline`? */
  readonly opensBy: (nodes: readonly NodeInGroup[], reason: DisruptionReason, deadline: EpochMs) => boolean;
  /** Takes the budget for removing these nodes, if they may be removed; `null`: it is taken. */
  readonly take: (nodes: readonly NodeInGroup[], reason: DisruptionReason) => NodeBudgetHold | null;
  /** The budgets in force, before anything is taken. */
  readonly reports: readonly NodeBudgetReport[];
}

/** The cluster, or a node group, with its budgets. */
interface Scope {
  /** `null`: the cluster. */
  readonly group: GroupName | null;
  readonly total: number;
  /** Nodes that are away, and nodes that were taken. */
  readonly away: Set<NodeName>;
  /** `null`: the most restrictive limit for any reason. */
  readonly limit: (reason: DisruptionReason | null) => Limit | null;
  /** Do the budgets allow any removal at this time, if no nodes are away? */
  readonly isOpenAt: (reason: DisruptionReason, at: EpochMs) => boolean;
}

/**
 * The removals that the disruption budgets of the cluster and of its node groups allow. The cluster's budgets are for
 * the nodes of all node groups together, a group's for its own nodes, and all hold. A node that counts as away already
 * takes nothing more, but stays where a budget allows none.
 *
 * @param waiting nodes of disruptions that wait for their replacements: they count as away.
 */
export function nodeBudgetsIn(
  scenario: Scenario,
  registry: Registry,
  waiting: ReadonlySet<NodeName> = waitingNodes(scenario.state),
): NodeBudgetTracker {
  const all = scopesIn(scenario, registry, waiting);
  const scopes = (nodes: readonly NodeInGroup[]): ReturnType<typeof scopesOf> => scopesOf(all, nodes);
  const held = (nodes: readonly NodeInGroup[], reason: DisruptionReason): NodeBudgetHold | null => {
    for (const [scope, leaving] of scopes(nodes)) {
      const hold = mapOptional(scope.limit(reason), (limit) => holdOf(scope, limit, leaving));
      if (hold !== null) {
        return hold;
      }
    }
    return null;
  };
  return {
    blockedBy: held,
    opensBy: (nodes, reason, deadline) => {
      const asked = scopes(nodes);
      return minutesUntil(scenario.now, deadline).some((at) => asked.every(([scope]) => scope.isOpenAt(reason, at)));
    },
    take(nodes, reason) {
      const hold = held(nodes, reason);
      if (hold === null) {
        for (const [{ away }, leaving] of scopes(nodes)) {
          for (const name of leaving) {
            away.add(name);
          }
        }
      }
      return hold;
    },
    reports: [...all.values()].flatMap(reportOf),
  };
}

/** The beginnings of the present and of later minutes, at which schedules begin and end; of no more than a day. */
const minutesUntil = (now: EpochMs, deadline: EpochMs): readonly EpochMs[] => {
  const first = Math.floor(now / MINUTE);
  const last = Math.floor(Math.min(deadline, now + LONGEST) / MINUTE);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => epochMs((first + i) * MINUTE));
};

/** Disruptions wait no longer for their nodes. */
const LONGEST = minutes(24 * 60);
const MINUTE = minutes(1);

function reportOf({ group, total, away, limit }: Scope): readonly NodeBudgetReport[] {
  const least = limit(null);
  if (least === null) {
    return [];
  }
  const { unreadable, ...more } = least;
  return [{ group, ...more, total, disrupting: away.size, ...present({ unreadable }) }];
}

function holdOf({ group, total, away }: Scope, limit: Limit, leaving: readonly NodeName[]): NodeBudgetHold | null {
  const { nodes, budget, until, unreadable } = limit;
  if (unreadable !== null) {
    const message = NODE_MESSAGES.budgetUnreadable(group, unreadable);
    return { reason: 'DisruptionBudgetUnreadable', message, zero: true };
  }
  const more = leaving.filter((name) => !away.has(name)).length;
  if (away.size + more <= nodes) {
    return null;
  }
  const message =
    nodes === 0
      ? NODE_MESSAGES.budgetZero(group, budget, until)
      : NODE_MESSAGES.budgetReached(group, budget, until, { nodes, total, away: away.size, more });
  return { reason: 'DisruptionBudgetReached', message, zero: nodes === 0 };
}

/** The scopes that have budgets, by group; most clusters have none, and nothing is counted. */
type Scopes = ReadonlyMap<Scope['group'], Scope>;

function scopesIn(scenario: Scenario, registry: Registry, waiting: ReadonlySet<NodeName>): Scopes {
  const { options, nodeGroups, now } = scenario;
  const count = awayCounter(scenario, registry, waiting);
  const scopeOf = (group: GroupName | null, budgets: readonly NodeBudget[], groups: readonly NodeGroup[]): Scope => {
    const counts = groups.map(count);
    const total = counts.reduce((sum, one) => sum + one.total, 0);
    const limits = new Map<DisruptionReason | null, Limit | null>();
    return {
      group,
      total,
      away: new Set(counts.flatMap(({ away }) => [...away])),
      limit: (reason) => getOrMake(limits, reason, () => limitOf(budgets, reason, total, now)),
      isOpenAt: (reason, at) => limitOf(budgets, reason, total, at)?.nodes !== 0,
    };
  };
  const scopes = new Map<Scope['group'], Scope>();
  if (options.disruptionBudgets.length > 0) {
    scopes.set(null, scopeOf(null, options.disruptionBudgets, nodeGroups));
  }
  for (const group of nodeGroups) {
    const { disruptionBudgets: budgets = [] } = group.options;
    if (budgets.length > 0) {
      scopes.set(group.name, scopeOf(group.name, budgets, [group]));
    }
  }
  return scopes;
}

/** The scopes that these nodes count in, each with its own nodes. */
function scopesOf(scopes: Scopes, nodes: readonly NodeInGroup[]): readonly (readonly [Scope, readonly NodeName[]])[] {
  const byGroup = Map.groupBy(nodes, ({ group }) => group);
  return [[null, nodes] as const, ...byGroup].flatMap(([group, own]) => {
    const leaving = own.map(({ node }) => node);
    return mapOptional(scopes.get(group), (scope) => [[scope, leaving] as const]) ?? [];
  });
}
