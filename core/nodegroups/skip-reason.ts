import { present } from '../model/values/present.ts';
import type { GroupReport, SkippedGroup } from '../model/decision.ts';
import type { NodeGroup } from '../model/node-group.ts';
import type { GroupName } from '../model/values/names.ts';
import type { GroupStatus } from '../registry/registry.ts';
import { pausedBy } from '../model/pause.ts';
import type { GroupTemplate } from './node-templates.ts';
import { shiftOfNextNode } from './zonal-shifts.ts';

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
  if (group.invalid !== null) {
    return skip('Invalid', { message: group.invalid });
  }
  if (status === undefined || !status.report.healthy) {
    return skip('Unhealthy', status === undefined ? {} : { message: healthProblem(status.report) });
  }
  if (group.launchSuspended) {
    return skip('LaunchSuspended', { message: 'its process Launch is suspended' });
  }
  if (group.paused !== null) {
    return skip('LaunchSuspended', { message: group.paused });
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
  return templates.has(group.name)
    ? null
    : skip('NoTemplate', { message: group.templateProblem ?? 'it describes none, and no ready node shows one' });
}

/** The groups that may get new nodes, with their sizes after their repairs. */
export const growingGroups = (
  groups: readonly NodeGroup[],
  statuses: ReadonlyMap<GroupName, GroupStatus>,
  templates: ReadonlyMap<GroupName, GroupTemplate>,
): ReadonlySet<GroupName> =>
  new Set(
    groups.flatMap((group) => {
      const status = statuses.get(group.name);
      return skipReason(group, status?.target ?? group.targetSize, status, templates) === null ? group.name : [];
    }),
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
  const notReady = others.flatMap(([count, what]) => (count > 0 ? [`${count} ${what}`] : []));
  return [`${ready} of ${target} nodes are ready`, ...notReady].join(', ');
}
