import type { SetSizeOutcome } from '@outrigger/core/model/answers.ts';
import { isRefusal } from '../../kubernetes/client/api-error.ts';
import type { GroupAccess } from './group-access.ts';
import { type GroupNow, liveMachines } from './group-now.ts';
import { machineFailure, later, refusedChange } from './outcomes.ts';
import { titleOf } from '../groups/group.ts';

/** Controllers and users write a resource every few seconds: this number of conflicts in a row does not happen by chance. */
const MOST_CONFLICTS = 8;

/**
 * Sets the size of a group by the subresource `scale`, on condition that the resource is still the one whose bounds and
 * Machines were checked. A changed resource is read and checked again.
 *
 * @param gone the outcome if the group does not exist.
 */
export async function setMachineSize(
  access: GroupAccess,
  size: number,
  gone: SetSizeOutcome,
  signal?: AbortSignal,
): Promise<SetSizeOutcome> {
  for (let conflicts = 0; ; conflicts += 1) {
    try {
      const group = await access.read(signal);
      if (group === null) {
        return gone;
      }
      if (!group.ok) {
        return group.error;
      }
      const refusal = refusedMachineSize(group.value, size);
      if (refusal !== null) {
        return refusal;
      }
      const { resource } = group.value;
      if (resource.replicas !== size) {
        await access.scale(resource, size, signal);
      }
      return { kind: 'set' };
    } catch (error) {
      const failure = machineFailure(error, signal);
      if (!isRefusal(error, 409)) {
        return isRefusal(error, 404) ? gone : failure;
      }
      if (conflicts === MOST_CONFLICTS) {
        return later('Conflict', `the resource was changed by other clients ${conflicts + 1} times in a row`);
      }
    }
  }
}

/** Why a size is refused before any call; `null` where it is not refused. */
function refusedMachineSize(group: GroupNow, size: number): SetSizeOutcome | null {
  const { resource, bounds, paused } = group;
  const name = titleOf(resource);
  const least = Math.max(bounds.min, 0);
  if (!Number.isSafeInteger(size) || size < least) {
    return refusedChange('BelowMinSize', `size ${size} of ${name} is below its minimum of ${least}`);
  }
  if (size > bounds.max) {
    return refusedChange('AboveMaxSize', `size ${size} of ${name} is above its maximum of ${bounds.max}`);
  }
  if (resource.deletedAt !== null) {
    return refusedChange('GroupGone', `${name} is being deleted`);
  }
  if (paused !== null) {
    return refusedChange('Paused', `${paused}: its controller neither makes nor deletes Machines`);
  }
  const live = liveMachines(group).length;
  // The group's controller would choose the Machines to delete, with their pods. Only missing Machines are given back.
  if (size < resource.replicas && size < live) {
    return refusedChange(
      'WouldDeleteMachines',
      `size ${size} of ${name} is below its ${live} Machines: its controller would choose which to delete`,
    );
  }
  return null;
}
