import {
  type FailureClass,
  type LaunchFailure,
  type NodeGroup,
  heldInstances,
  launchFailureId,
} from '@outrigger/core/model/node-group.ts';
import type { Failure } from '../api/objects.ts';
import type { Group } from './group.ts';

/** Why missing Machines of a group are not created; `null` where nothing prevents it. */
export const creationFailureOf = ({ resource, sets }: Pick<Group, 'resource' | 'sets'>): Failure | null =>
  [resource, ...sets].find(({ failure }) => failure !== null)?.failure ?? null;

/** A failure for each Machine that the group's size counts and that does not exist. */
export function launchFailuresOf(group: NodeGroup, failure: Failure): readonly LaunchFailure[] {
  const missing = Math.max(0, group.targetSize - heldInstances(group).length);
  const { reason, message } = failure;
  return Array.from({ length: missing }, (_, n) => ({
    id: launchFailureId(group.name, n),
    class: classOf(reason),
    code: reason || 'MachineCreationFailed',
    message,
    zone: null,
  }));
}

/** A template that does not exist, or is refused, is not there later either, until it is corrected. */
const classOf = (reason: string): FailureClass =>
  reason.endsWith('TemplateCloningFailed') || reason === 'InvalidConfiguration' ? 'Configuration' : 'Other';
