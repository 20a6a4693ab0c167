import type { Decision } from '../model/decision.ts';
import { type FailureClass, nodePricesOf } from '../model/node-group.ts';
import type { Scenario } from '../model/scenario.ts';
import type { GroupName } from '../model/values/names.ts';
import { mapOptional } from '../model/values/optional.ts';
import { present } from '../model/values/present.ts';
import { valueOf } from '../model/values/records.ts';

/** The size of a cluster, in figures for its log: the dashboard reads the log, where figures cost next to nothing. */
export interface Figures {
  /** Sums over all node groups: what the cloud was asked for, and the limits. */
  readonly size: number;
  readonly minSize: number;
  readonly maxSize: number;
  readonly readyNodes: number;
  /** Nodes on their way. */
  readonly upcomingNodes: number;
  readonly unneededNodes: number;
  /** The cost of all nodes of groups that have a price, USD; `null` where no group has one. */
  readonly costPerHour: number | null;
  /** Node groups in backoff, by what has failed. */
  readonly failing: Partial<Record<FailureClass, number>>;
  readonly groups: readonly GroupFigures[];
}

interface GroupFigures {
  readonly group: GroupName;
  readonly size: number;
  readonly min: number;
  readonly max: number;
  /** Absent: none. */
  readonly upcoming?: number;
}

/** Node groups in a line of the log: no more. */
const MOST_GROUPS = 200;

/** The figures of a cluster before a decision of scale-up, as it was observed. */
export function figuresOf(
  { nodeGroups, state, now }: Pick<Scenario, 'nodeGroups' | 'state' | 'now'>,
  { scaleUp, registry, state: after }: Pick<Decision, 'scaleUp' | 'registry' | 'state'>,
): Figures {
  const groups = nodeGroups.map(({ name, targetSize, minSize, maxSize }) => ({
    group: name,
    size: targetSize,
    min: minSize,
    max: maxSize,
    ...present({ upcoming: valueOf(scaleUp.upcoming, name) }),
  }));
  const sum = (of: 'size' | 'min' | 'max' | 'upcoming'): number =>
    groups.reduce((all, group) => all + (group[of] ?? 0), 0);
  const failing: Partial<Record<FailureClass, number>> = {};
  for (const { class: failure, until } of Object.values(after.backoff)) {
    if (until > now) {
      failing[failure] = (failing[failure] ?? 0) + 1;
    }
  }
  return {
    size: sum('size'),
    minSize: sum('min'),
    maxSize: sum('max'),
    readyNodes: registry.totals.ready,
    upcomingNodes: sum('upcoming'),
    unneededNodes: Object.keys(state.unneededSince).length,
    costPerHour: costOf(nodeGroups),
    failing,
    groups: groups.slice(0, MOST_GROUPS),
  };
}

function costOf(groups: Scenario['nodeGroups']): number | null {
  const costs = groups
    .map((group) => mapOptional(nodePricesOf(group).mean, (price) => price * group.targetSize))
    .filter((cost) => cost !== null);
  if (costs.length === 0) {
    return null;
  }
  // In ten-thousandths of a dollar: sums of prices have more digits than they mean.
  return Math.round(costs.reduce((sum, cost) => sum + cost, 0) * 10_000) / 10_000;
}
