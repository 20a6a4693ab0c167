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
  const filled = sets.filter(({ replicas, currentReplicas }) => replicas > 0 || currentReplicas > 0);
  const replacing = latest < 0 ? filled.length > 1 : filled.some((set) => revisionOf(set) < latest);
  return replacing || machines.some(({ phase }) => phase === 'Updating');
}

/** -1 without the annotation. */
function revisionOf({ annotations }: ScalableResource): number {
  const text = annotations[REVISION] ?? '';
  return /^\d{1,15}$/.test(text) ? Number(text) : -1;
}
