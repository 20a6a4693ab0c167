import { readable } from '../model/fault.ts';
import { type Node, ZONE_LABEL } from '../model/cluster/node.ts';
import { type NodeGroup, shapesOf } from '../model/node-group.ts';
import type { Scenario } from '../model/scenario.ts';
import type { EpochMs } from '../model/values/time.ts';
import { shiftOf, shiftsInForce, type ZonalShift } from '../model/zonal-shift.ts';

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
  const [template, ...alternatives] = shapesOf(group).filter(({ node }) => !avoided.has(node.labels[ZONE_LABEL] ?? ''));
  return template === undefined ? group : { template, alternatives };
}

/**
 * The shift away from a zone in which the next node of the group may be; absent where there is none.
 *
 * @param planned the node to use if the group has no template.
 */
export function shiftOfNextNode(group: NodeGroup, planned: Node | undefined): ZonalShift | undefined {
  const shapes = shapesOf(group).map(({ node }) => node);
  const next = shapes.length === 0 && planned !== undefined ? [planned] : shapes;
  return next.map((node) => shiftOf(node, group)).find((shift) => shift !== undefined);
}

/** Is traffic shifted away from a zone of any group? Then no node is moved for what it costs. */
export const isShifting = ({ nodeGroups }: Pick<Scenario, 'nodeGroups'>): boolean =>
  nodeGroups.some((group) => readable(() => group.zonalShifts !== undefined, false));
