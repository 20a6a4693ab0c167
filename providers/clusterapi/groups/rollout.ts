import { byName } from '@outrigger/core/model/values/names.ts';
import type { Machine, ScalableResource } from '../api/objects.ts';

/** Annotation of the MachineSets of a MachineDeployment; the same in all API groups. */
const REVISION = 'machinedeployment.clusters.x-k8s.io/revision';

/**
 * Whether the nodes of a MachineDeployment are being replaced: a MachineSet other than that of the latest revision has
 * replicas, or wants some (`IsMachineDeploymentAndRollingOut` of Cluster Autoscaler's clusterapi_nodegroup.go), or a
 * Machine is updated in place. Without revisions: several MachineSets have replicas.
 *
 * @param sets of the MachineDeployment; none for another resource.
 * @param machines all of the resource.
 */
export function isRollingOut(sets: readonly ScalableResource[], machines: readonly Machine[]): boolean {
  const latest = Math.max(...sets.map(revisionOf));
  const filled = sets.filter(isFilled);
  const replacing = latest < 0 ? filled.length > 1 : filled.some((set) => revisionOf(set) < latest);
  return replacing || machines.some(({ phase }) => phase === 'Updating');
}

const isFilled = ({ replicas, currentReplicas }: ScalableResource): boolean => replicas > 0 || currentReplicas > 0;

/**
 * The MachineSets of a MachineDeployment with the strategy `OnDelete`: the one that new Machines are of, and those of
 * earlier templates that still have some, in the order in which a smaller size is taken from them
 * (`reconcileOldMachineSetsOnDelete` of sigs.k8s.io/cluster-api/core/reconcilers/machinedeployment). `null` for another
 * strategy, where no MachineSet is of an earlier template, or where it is not known which are.
 */
export function outdatedSets(
  resource: Pick<ScalableResource, 'onDelete'>,
  sets: readonly ScalableResource[],
): { readonly latest: ScalableResource; readonly outdated: readonly ScalableResource[] } | null {
  const latest = sets.toSorted((a, b) => revisionOf(b) - revisionOf(a))[0];
  const outdated = sets
    .filter((set) => set !== latest && isFilled(set))
    .toSorted((a, b) => (a.createdAt ?? 0) - (b.createdAt ?? 0) || byName(a.name, b.name));
  const isKnown = sets.filter(isFilled).every((set) => revisionOf(set) >= 0);
  return resource.onDelete && latest !== undefined && isKnown && outdated.length > 0 ? { latest, outdated } : null;
}

/** -1 without the annotation. */
function revisionOf({ annotations }: ScalableResource): number {
  const text = annotations[REVISION] ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : -1;
}
