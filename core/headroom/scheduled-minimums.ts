import { type CapacitySchedule, capacityText, type ScheduledMinimum } from '../model/capacity-schedule.ts';
import type { Evaluation } from '../model/decision.ts';
import { readable } from '../model/fault.ts';
import { groupOption, type NodeGroup } from '../model/node-group.ts';
import type { Options } from '../model/options.ts';
import { type InForce, inForceAt } from '../model/schedule.ts';
import type { Scenario } from '../model/scenario.ts';
import { mapOptional } from '../model/values/optional.ts';
import { addTime, type DurationMs, type EpochMs, minutes } from '../model/values/time.ts';

/** So early nodes are asked for, to be ready when their schedule begins: EC2 instances take one to two minutes. */
export const AHEAD = minutes(2);

/** The scenario in which no node group is to be smaller than what its capacity schedules ask for now. */
export function withScheduledMinimums(scenario: Scenario): Scenario {
  if (!hasSchedules(scenario)) {
    return scenario;
  }
  const { nodeGroups, options, now } = scenario;
  return { ...scenario, nodeGroups: nodeGroups.map((group) => readable(() => raised(group, options, now), group)) };
}

/**
 * Does a capacity schedule begin within some time, or end? Then the cluster is not idle, and is evaluated when it does: by
 * scale-up where more nodes are asked for, by scale-down where fewer are.
 */
export function changesWithin(scenario: Scenario, time: DurationMs, evaluation: Evaluation): boolean {
  const { options, nodeGroups, now } = scenario;
  const later = addTime(now, time);
  const nodesAt = (group: NodeGroup, at: EpochMs): number => minimumOf(group, options, at)?.nodes ?? 0;
  return (
    hasSchedules(scenario) &&
    nodeGroups.some((group) => {
      const [before, after] = [nodesAt(group, now), nodesAt(group, later)];
      return evaluation === 'ScaleUp' ? after > before : after < before;
    })
  );
}

const hasSchedules = ({ options, nodeGroups }: Scenario): boolean =>
  options.capacitySchedules.length > 0 ||
  nodeGroups.some((group) => readable(() => (group.options.capacitySchedules ?? []).length > 0, false));

function raised(group: NodeGroup, options: Options, now: EpochMs): NodeGroup {
  const scheduledMinimum = minimumOf(group, options, now);
  if (scheduledMinimum === null) {
    return group;
  }
  return { ...group, minSize: Math.max(group.minSize, scheduledMinimum.nodes), scheduledMinimum };
}

/**
 * The minimum of the most demanding schedule, within the maximum of the group, or all of a group that is scaled as a
 * whole; `null` where none is in force.
 */
function minimumOf(group: NodeGroup, options: Options, now: EpochMs): ScheduledMinimum | null {
  const whole = groupOption(options, group, 'zeroOrMaxNodeScaling');
  let most: ScheduledMinimum | null = null;
  for (const one of groupOption(options, group, 'capacitySchedules')) {
    const inForce = soonInForce(one, now);
    if (inForce === null) {
      continue;
    }
    const nodes = Math.min(whole ? group.maxSize : nodesFor(one, group), group.maxSize);
    if (nodes > (most?.nodes ?? 0)) {
      const until = mapOptional(inForce.until, (end) => `${end} ${one.schedule.timeZone}`);
      most = { nodes, by: capacityText(one), until };
    }
  }
  return most;
}

/**
 * A schedule whose time zone the runtime does not know counts as in force: running nodes are rather kept than removed.
 */
function soonInForce({ schedule }: CapacitySchedule, now: EpochMs): InForce | null {
  for (const at of [now, addTime(now, AHEAD)]) {
    const found = inForceAt(schedule, at);
    if (!found.ok) {
      return { until: null };
    }
    if (found.value !== null) {
      return found.value;
    }
  }
  return null;
}

/** How many new nodes of a group have so much for pods. Of a group without a template it is not known, and none is asked for. */
function nodesFor({ least }: CapacitySchedule, { template, minSize }: NodeGroup): number {
  if ('nodes' in least) {
    return least.nodes;
  }
  const each = template?.node.allocatable[least.resource] ?? 0;
  return each > 0 ? Math.ceil(least.amount / each) : minSize;
}
