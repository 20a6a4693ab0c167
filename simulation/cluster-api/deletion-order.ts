import { getExisting } from '@outrigger/core/model/values/existing.ts';
import { byName } from '@outrigger/core/model/values/names.ts';
import { type EpochMs, minutes } from '@outrigger/core/model/values/time.ts';
import { type DeletionOrder, isDeleting, isToBeDeletedFirst, type MachineObject } from './objects.ts';

/** The age at which priorities by age have come to 1 − 1/e of their way. */
const TEN_DAYS_MS = minutes(10 * 24 * 60);

const LEAVING = 100;
const MARKED = 80;
const UNHEALTHY = 50;
const ANY = 20;

/**
 * The machines that a MachineSet with too many of them deletes, in its order: first those that are being deleted
 * already – they count until they are gone –, then marked ones, then those without a healthy node, then by the order
 * of the MachineSet, and by name.
 *
 * The rules are those of `machineset_deletion_order.go` in kubernetes-sigs/cluster-api.
 *
 * @param surplus the number of machines beyond the replicas.
 */
export function firstToGo(
  machines: readonly MachineObject[],
  surplus: number,
  { order = 'Random', now }: { readonly order: DeletionOrder | undefined; readonly now: EpochMs },
): readonly MachineObject[] {
  const priorities = new Map(machines.map((machine) => [machine, priorityOf(machine, order, now)]));
  return machines
    .toSorted(
      (a, b) => getExisting(priorities, b) - getExisting(priorities, a) || byName(a.metadata.name, b.metadata.name),
    )
    .slice(0, Math.max(0, surplus));
}

function priorityOf(machine: MachineObject, order: DeletionOrder, now: EpochMs): number {
  if (isDeleting(machine)) {
    return LEAVING;
  }
  if (isToBeDeletedFirst(machine)) {
    return MARKED;
  }
  if (!isHealthy(machine)) {
    return UNHEALTHY;
  }
  const age = Math.max(0, now - Date.parse(machine.metadata.creationTimestamp));
  const byAge = UNHEALTHY * (1 - Math.exp(-age / TEN_DAYS_MS));
  if (order === 'Random') {
    return ANY;
  }
  return order === 'Oldest' ? byAge : UNHEALTHY - byAge;
}

const isHealthy = ({ status }: MachineObject): boolean =>
  status.nodeRef !== undefined &&
  !status.conditions.some(({ type, status: is }) => type === 'NodeHealthy' && is === 'False');
