import type { Instance } from '@outrigger/core/model/node-group.ts';
import { firstItem } from '@outrigger/core/model/values/existing.ts';
import type { Machine, ScalableResource } from '../api/objects.ts';
import { outdatedSets } from './rollout.ts';

/** The notes that keep a Machine's instance in its group, or are a reason to replace it. */
type Notes = Pick<Instance, 'drifted' | 'stays'>;

/**
 * The difference between a Machine and new Machines of its resource, if its controllers do not replace the Machine: a
 * MachineDeployment with the strategy `OnDelete` keeps Machines of earlier templates; a MachineSet keeps Machines with
 * another version of Kubernetes. A MachineDeployment with the strategy `RollingUpdate` replaces its Machines itself.
 *
 * While Machines of earlier templates are left, a smaller size is taken from the oldest of their MachineSets, so that others
 * stay.
 */
export function notesOf(resource: ScalableResource, sets: readonly ScalableResource[]): (machine: Machine) => Notes {
  if (resource.kind === 'MachineSet') {
    return (machine) => ofVersion(machine, resource.template.version);
  }
  const found = outdatedSets(resource, sets);
  if (found === null) {
    return () => ({});
  }
  const { latest, outdated } = found;
  const first = firstItem(outdated);
  return ({ owner }) => {
    const own = outdated.find(({ uid }) => uid === owner?.uid);
    return {
      drifted: own && `of MachineSet ${own.name}, and new Machines are of ${latest.name}`,
      stays:
        owner?.uid === first.uid
          ? undefined
          : `its MachineDeployment takes Machines of MachineSet ${first.name} first (strategy OnDelete)`,
    };
  };
}

function ofVersion({ version }: Machine, wanted: string | null): Notes {
  if (version !== null && wanted !== null && version !== wanted) {
    return { drifted: `Kubernetes ${version}, and not ${wanted}` };
  }
  return {};
}
