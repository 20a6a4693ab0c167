import { mapOptional } from '../model/values/optional.ts';
import { present } from '../model/values/present.ts';
import type { GroupReport, SkippedGroup } from '../model/decision.ts';
import { type NodeGroup, shapesOfNextNode, standingReason } from '../model/node-group.ts';
import type { Node } from '../model/cluster/node.ts';
import { shiftOf, type ZonalShift } from '../model/zonal-shift.ts';
import type { State } from '../model/state.ts';
import type { GroupName } from '../model/values/names.ts';
import { stillCounted } from '../registry/ended-nodes.ts';
import type { GroupStatus } from '../registry/registry.ts';
import { pausedBy } from '../model/pause.ts';
import type { GroupTemplate } from './node-templates.ts';
import { type ClusterLimits, type CountedNode, isCostLimit } from './resource-quotas.ts';

/**
 * Why this group cannot be raised; `null` when it can. The order of the reasons is that of Cluster Autoscaler's
 * orchestrator.
 *
 * @param size what the group will have after the decisions taken so far.
 */
export function skipReason(
  group: NodeGroup,
  size: number,
  status: GroupStatus | undefined,
  templates: ReadonlyMap<GroupName, GroupTemplate>,
): SkippedGroup | null {
  const skip = (reason: SkippedGroup['reason'], more: Omit<SkippedGroup, 'group' | 'reason'> = {}): SkippedGroup => ({
    group: group.name,
    reason,
    ...more,
  });
  const standing = standingReason(group);
  if (standing?.reason === 'Invalid') {
    return { group: group.name, ...standing };
  }
  if (status === undefined || !status.report.healthy) {
    return skip('Unhealthy', present({ message: mapOptional(status?.report, healthProblem) }));
  }
  if (standing !== null) {
    return { group: group.name, ...standing };
  }
  const shift = shiftOfNextNode(group, templates.get(group.name)?.node);
  if (shift !== undefined) {
    return skip('ZonalShift', {
      message: shift.launches ? `its next node may be in ${shift.zone}, which AWS does not avoid for it` : shift.zone,
      ...present({ until: shift.until }),
    });
  }
  if (status.pause !== null) {
    const { until } = status.pause;
    return skip('Paused', { message: pausedBy(status.pause), ...present({ until }) });
  }
  if (status.backoff !== null) {
    return skip('BackedOff', { class: status.backoff.class, until: status.backoff.until });
  }
  if (status.shortage !== null) {
    const { message, until } = status.shortage;
    return skip('BackedOff', { class: 'OutOfResources', message, until });
  }
  if (size >= group.maxSize) {
    return skip('MaxSizeReached', { message: `maxSize ${group.maxSize}` });
  }
  if (!templates.has(group.name)) {
    return skip('NoTemplate', { message: group.templateProblem ?? 'it describes none, and no ready node shows one' });
  }
  return null;
}

/**
 * The shift away from a zone in which the next node of the group may be; absent where there is none.
 *
 * @param planned the node to use if the group has no template.
 */
function shiftOfNextNode(group: NodeGroup, planned: Node | undefined): ZonalShift | undefined {
  const shapes = shapesOfNextNode(group).map(({ node }) => node);
  const next = shapes.length === 0 && planned !== undefined ? [planned] : shapes;
  return next.map((node) => shiftOf(node, group)).find((shift) => shift !== undefined);
}

/** The growth of a group to its maximum. */
interface WholeGrowth {
  readonly group: NodeGroup;
  /** The size of the group after the decisions taken so far. */
  readonly size: number;
  readonly node: CountedNode;
}

/**
 * Why a group that is all or nothing (`zeroOrMaxNodeScaling`) cannot be raised to its maximum; `null` when it can. It is not
 * raised to a part of it.
 *
 * @param limits what the decisions taken so far leave of the limits of the cluster.
 */
export function skipWhole(
  { group, size, node }: WholeGrowth,
  limits: Pick<ClusterLimits, 'room' | 'exceededBy'>,
  { deletionsInProgress }: Pick<State, 'deletionsInProgress'>,
): SkippedGroup | null {
  if (stillCounted(group, deletionsInProgress) > 0) {
    // If the group were raised to its maximum now, it would have only a part of it as soon as these nodes are gone.
    return { group: group.name, reason: 'BeingRemoved' };
  }
  const wanted = group.maxSize - size;
  if (limits.room(node) >= wanted) {
    return null;
  }
  return limitSkip(
    group.name,
    limits.exceededBy(node, wanted),
    wanted === 1 ? '' : `, as all ${wanted} nodes come or none`,
  );
}

/** A group that limits of the cluster, or a limit of its cost, keep from growing. */
export const limitSkip = (group: GroupName, limits: readonly string[], details = ''): SkippedGroup => ({
  group,
  reason: limits.some(isCostLimit) ? 'MaxCostPerHourReached' : 'ResourceLimitExceeded',
  message: `${limits.join(', ')}${details}`,
});

/** The groups that may get new nodes, with their sizes after their repairs. */
export const growingGroups = (
  groups: readonly NodeGroup[],
  statuses: ReadonlyMap<GroupName, GroupStatus>,
  templates: ReadonlyMap<GroupName, GroupTemplate>,
): ReadonlySet<GroupName> =>
  new Set(
    groups
      .filter((group) => {
        const status = statuses.get(group.name);
        return skipReason(group, status?.target ?? group.targetSize, status, templates) === null;
      })
      .map(({ name }) => name),
  );

/** `2 of 9 nodes are ready, 3 are unready, 4 have not come`. */
function healthProblem({
  target,
  ready,
  unready,
  notStarted,
  unregistered,
  longUnregistered,
  suspended,
}: GroupReport): string {
  const missing = target - ready - unready - notStarted - unregistered - longUnregistered - suspended;
  const others = [
    [unready, 'unready'],
    [notStarted, 'starting'],
    [suspended, 'suspended'],
    [unregistered + longUnregistered, 'not registered'],
    [missing, 'missing'],
  ] as const;
  const notReady = others.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  return [`${ready} of ${target} nodes are ready`, ...notReady].join(', ');
}
