import { readable } from '../model/fault.ts';
import { ZONE_LABEL } from '../model/cluster/node.ts';
import { type NodeGroup, shapesOfNextNode } from '../model/node-group.ts';
import type { Scenario } from '../model/scenario.ts';
import type { EpochMs } from '../model/values/time.ts';
import { shiftsInForce, type ZonalShift } from '../model/zonal-shift.ts';

/**
 * The scenario with the zonal shifts that are in force alone, and without the shapes of nodes that no group launches
 * while they last: Auto Scaling launches in the other zones of a group. A group without another zone keeps its shapes,
 * and is skipped.
 */
export function withZonalShifts(scenario: Scenario): Scenario {
  if (!isShifting(scenario)) {
    return scenario;
  }
  const { nodeGroups, now } = scenario;
  return { ...scenario, nodeGroups: nodeGroups.map((group) => readable(() => shifted(group, now), group)) };
}

function shifted(group: NodeGroup, now: EpochMs): NodeGroup {
  const { zonalShifts, ...rest } = group;
  const inForce = shiftsInForce(zonalShifts ?? [], now);
  if (inForce.length === 0) {
    return rest;
  }
  return { ...rest, ...shapesElsewhere(group, inForce), zonalShifts: inForce };
}

function shapesElsewhere(
  group: NodeGroup,
  shifts: readonly ZonalShift[],
): Pick<NodeGroup, 'template' | 'alternatives'> {
  const avoided = new Set(shifts.filter(({ launches }) => !launches).map(({ zone }) => zone));
  const [template, ...alternatives] = shapesOfNextNode(group).filter(
    ({ node }) => !avoided.has(node.labels[ZONE_LABEL] ?? ''),
  );
  return template === undefined ? group : { template, alternatives };
}

/** Is traffic shifted away from a zone of any group? Then no node is moved for what it costs. */
export const isShifting = ({ nodeGroups }: Pick<Scenario, 'nodeGroups'>): boolean =>
  nodeGroups.some(({ zonalShifts }) => zonalShifts !== undefined);
