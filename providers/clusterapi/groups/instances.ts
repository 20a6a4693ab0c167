import { type Node, ZONE_LABEL } from '@outrigger/core/model/cluster/node.ts';
import type { Instance, InstanceError, InstanceState } from '@outrigger/core/model/node-group.ts';
import { type InstanceId, byName, instanceId } from '@outrigger/core/model/values/names.ts';
import type { Failure, Machine, ScalableResource } from '../api/objects.ts';
import { notesOf } from './drift.ts';
import type { MachineNode } from './node-matching.ts';
import type { OwnedMachines } from './ownership.ts';
import { parseProviderId } from './provider-ids.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';

/** The instance of a Machine, from before it has a provider ID until the Machine is gone. */
export const idOfMachine = ({ namespace, name }: Pick<Machine, 'namespace' | 'name'>): InstanceId =>
  instanceId(`${namespace}/${name}`);

export const claimOfMachine = (machine: Machine): MachineNode => ({
  id: idOfMachine(machine),
  providerId: machine.providerId,
  nodeRef: machine.nodeRef,
});

/** The instances of a MachinePool that are no Machines: its infrastructure has none, or has not made them yet. */
export function poolClaims({
  resource,
  machines,
}: Pick<OwnedMachines, 'resource' | 'machines'>): readonly MachineNode[] {
  const covered = new Set(machines.map(({ providerId }) => parseProviderId(providerId)?.whole));
  return [...new Set(resource.providerIds)]
    .filter((id) => !covered.has(parseProviderId(id)?.whole))
    .map((id) => ({ id, providerId: id, nodeRef: null }));
}

/**
 * The instances of a resource, sorted by ID. The list of provider IDs of a MachinePool follows its Machines with a delay: where
 * it has Machines, an ID without a Machine and without a node is one that has gone, or whose Machine is about to be made.
 *
 * @param nodesOf the nodes of a claim, by its ID; absent: none are known
 */
export function instancesOf(
  owned: Pick<OwnedMachines, 'resource' | 'machines'> & Partial<Pick<OwnedMachines, 'sets'>>,
  nodesOf: ReadonlyMap<string, readonly Node[]> = new Map(),
): readonly Instance[] {
  const notes = notesOf(owned.resource, owned.sets ?? []);
  const ofMachines = owned.machines.map((machine): Instance => {
    const id = idOfMachine(machine);
    const node = nodesOf.get(id)?.[0] ?? null;
    const zone = machine.zone ?? node?.labels[ZONE_LABEL] ?? null;
    return { id, node: node?.name ?? null, zone, ...machineCondition(machine, node !== null), ...notes(machine) };
  });
  const ofPool = poolClaims(owned).flatMap(({ id }): readonly Instance[] => {
    const node = nodesOf.get(id)?.[0] ?? null;
    if (node === null && owned.machines.length > 0) {
      return [];
    }
    const zone = node?.labels[ZONE_LABEL] ?? null;
    return [{ id: instanceId(id), node: node?.name ?? null, zone, state: stateInPool(owned.resource), error: null }];
  });
  return [...ofMachines, ...ofPool].sort((a, b) => byName(a.id, b.id));
}

/** A pool that is being deleted deletes its instances. */
const stateInPool = ({ deletedAt }: ScalableResource): InstanceState => (deletedAt === null ? 'Running' : 'Deleting');

/**
 * The state of a Machine. A Machine that failed before it became a node never will: Cluster API does not reconcile it
 * any further. A Machine that failed later has a node, which shows its state.
 *
 * @param registered its node is registered, whether the Machine refers to it or not.
 */
export function machineCondition(
  { deletedAt, nodeRef, failure }: Machine,
  registered: boolean,
): { readonly state: InstanceState; readonly error: InstanceError | null } {
  if (deletedAt !== null) {
    return { state: 'Deleting', error: errorOf(failure, 'DeletingFailed') };
  }
  if (registered || nodeRef !== null) {
    return { state: 'Running', error: null };
  }
  return { state: 'Creating', error: errorOf(failure, 'ProvisioningFailed') };
}

const errorOf = (failure: Failure | null, code: string): InstanceError | null =>
  mapOptional(failure, ({ reason, message }) => ({
    class: 'Other',
    code,
    message: [reason, message].filter((part) => part !== '').join(': ') || 'the Machine has failed',
  }));
