import type { Machine, Owner, ScalableResource } from '../api/objects.ts';
import type { ScalableKind } from '../api/resources.ts';
import { mapOptional, getOptional } from '@outrigger/core/model/values/optional.ts';

/** A resource that is no part of another, with all that is made for it. */
export interface OwnedMachines {
  readonly resource: ScalableResource;
  /** The MachineSets of a MachineDeployment. */
  readonly sets: readonly ScalableResource[];
  /** Machines of the resource itself, or of its MachineSets. */
  readonly machines: readonly Machine[];
}

/**
 * Assigns Machines to the resource whose replicas count them, by owner references. A MachineSet with a
 * MachineDeployment as its owner is part of the MachineDeployment, and never a node group: the MachineDeployment sets
 * its replicas, even if MachineDeployments are disabled or the owner is gone. Machines without such an owner, as those
 * of a control plane, belong to none.
 */
export function ownedResources(
  resources: readonly ScalableResource[],
  machines: readonly Machine[],
): readonly OwnedMachines[] {
  const byKey = new Map(
    resources.map((resource) => [keyOf(resource.namespace, resource.kind, resource.name), resource]),
  );
  const find = (namespace: string, owner: Owner | null, kinds: readonly ScalableKind[]): ScalableResource | null => {
    const kind = kinds.find((one) => one === owner?.kind);
    if (owner === null || kind === undefined) {
      return null;
    }
    const found = byKey.get(keyOf(namespace, kind, owner.name));
    // The owner may have been deleted, and created anew under the same name.
    return found?.uid === owner.uid ? found : null;
  };
  const tops = resources.filter(({ kind, owner }) => kind !== 'MachineSet' || owner?.kind !== 'MachineDeployment');
  const owned = new Map(
    tops.map((resource) => [resource, { resource, sets: [] as ScalableResource[], machines: [] as Machine[] }]),
  );
  const topOf = (resource: ScalableResource): ScalableResource | null =>
    owned.has(resource) ? resource : find(resource.namespace, resource.owner, ['MachineDeployment']);

  for (const set of resources) {
    if (!owned.has(set)) {
      owned.get(topOf(set) ?? set)?.sets.push(set);
    }
  }
  for (const machine of machines) {
    const owner = find(machine.namespace, machine.owner, ['MachineSet', 'MachinePool']);
    getOptional(owned, mapOptional(owner, topOf))?.machines.push(machine);
  }
  return [...owned.values()];
}

const keyOf = (namespace: string, kind: ScalableKind, name: string): string => `${kind}/${namespace}/${name}`;
