import type { Range } from '@outrigger/core/model/options.ts';
import type { InstanceId } from '@outrigger/core/model/values/names.ts';
import type { Machine, ScalableResource } from '../api/objects.ts';
import { outdatedSets } from '../groups/rollout.ts';
import { idOfMachine } from '../groups/instances.ts';

/** A node group as the management cluster has it now, read for a change. */
export interface GroupNow {
  readonly resource: ScalableResource;
  readonly bounds: Range;
  /**
   * Resources with Machines of their own, which delete surplus Machines: the MachineSets of a MachineDeployment, or the
   * resource itself.
   */
  readonly holders: readonly ScalableResource[];
  /** The Machines of the holders, including Machines that are being deleted. */
  readonly machines: readonly Machine[];
  /** Why the group is paused, in words: controllers leave it alone. `null` where it is not. */
  readonly paused: string | null;
}

export const machineOf = ({ machines }: GroupNow, instance: InstanceId): Machine | null =>
  machines.find((machine) => idOfMachine(machine) === instance) ?? null;

const isLive = ({ deletedAt }: Machine): boolean => deletedAt === null;

export const liveMachines = ({ machines }: GroupNow): readonly Machine[] => machines.filter(isLive);

/**
 * Whether no controller has a Machine to delete: the sizes of the MachineSets are what their MachineDeployment's is, and
 * none has more Machines than its size. Machines that are being deleted do not count: the MachineSet controller either
 * ignores them (machine.openshift.io) or takes them before all others (`oldestDeletionOrder` and its like in
 * sigs.k8s.io/cluster-api/core/reconcilers/machineset).
 */
export function isSettled(group: GroupNow): boolean {
  const { resource, holders } = group;
  const total = holders.reduce((sum, { replicas }) => sum + replicas, 0);
  return total === resource.replicas && holders.every((holder) => liveOf(group, holder) <= holder.replicas);
}

const liveOf = (group: GroupNow, { uid }: ScalableResource): number =>
  liveMachines(group).filter(({ owner }) => owner?.uid === uid).length;

/** Whether several MachineSets of a MachineDeployment have Machines, or are to have some: it replaces its Machines. */
export const rollsOutNow = (group: GroupNow): boolean =>
  group.holders.filter((holder) => holder.replicas > 0 || liveOf(group, holder) > 0).length > 1;

/** Whether a smaller size is taken from the MachineSet of this Machine while there are Machines of several templates. */
export const goesFirst = ({ resource, holders }: GroupNow, { owner }: Machine): boolean =>
  outdatedSets(resource, holders)?.outdated[0]?.uid === owner?.uid && owner !== null;
