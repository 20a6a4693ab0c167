import type { SkippedGroup } from '../../model/decision.ts';
import type { NodeGroup } from '../../model/node-group.ts';
import type { GroupName } from '../../model/names.ts';
import type { GroupStatus } from '../../registry/registry.ts';
import type { GroupTemplate } from './templates.ts';

const SKIP_WORDS: Readonly<Record<SkippedGroup['reason'], string>> = {
  Invalid: 'invalid node group',
  Unhealthy: 'not ready for scale-up',
  BackedOff: 'in backoff after failed scale-up',
  MaxSizeReached: 'max node group size reached',
  ResourceLimitExceeded: 'max cluster limit reached',
  NoTemplate: 'no node template',
  NotSimulated: 'not simulated',
};

/** How the reason of a skipped group reads in the events and outcomes of pods. */
export const skipWords = ({ reason, message }: SkippedGroup): string =>
  // A group whose shapes are sold out has not failed itself: another one has told.
  reason === 'BackedOff' && message !== undefined ? message : SKIP_WORDS[reason];

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
  const skip = (reason: SkippedGroup['reason'], message?: string): SkippedGroup => ({
    group: group.name,
    reason,
    ...(message === undefined ? {} : { message }),
  });
  if (group.invalid !== null) {
    return skip('Invalid', group.invalid);
  }
  if (status === undefined || !status.report.healthy) {
    return skip('Unhealthy');
  }
  if (status.backedOff) {
    return skip('BackedOff');
  }
  if (status.shortage !== null) {
    return skip('BackedOff', status.shortage);
  }
  if (size >= group.maxSize) {
    return skip('MaxSizeReached');
  }
  return templates.has(group.name) ? null : skip('NoTemplate', group.templateProblem ?? undefined);
}
