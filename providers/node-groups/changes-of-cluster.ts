import { required } from '@outrigger/core/model/values/existing.ts';
import type { GroupName } from '@outrigger/core/model/values/names.ts';
import type { NodeGroupChanges } from '@outrigger/core/ports/node-groups.ts';

/** `KIND/NAMESPACE/NAME`, as groups of Cluster API are named. */
const CLUSTER_API_NAME = new RegExp('^(?:MachineDeployment|MachineSet|MachinePool)/[^/]+/[^/]+$');

export const isClusterApiName = (name: GroupName): boolean => CLUSTER_API_NAME.test(name);

/**
 * The changes to the node groups of a cluster, of one provider or of two.
 *
 * @param scaling to its Auto Scaling groups; `null`: they are no node groups
 * @param clusterApi to its resources of Cluster API; `null`: they are no node groups
 * @throws RangeError where neither are
 */
export function changesOfCluster(
  scaling: NodeGroupChanges | null,
  clusterApi: NodeGroupChanges | null,
): NodeGroupChanges {
  if (scaling !== null && clusterApi !== null) {
    return combinedChanges((name) => (isClusterApiName(name) ? clusterApi : scaling));
  }
  return required(scaling ?? clusterApi, 'node groups: Auto Scaling groups, resources of Cluster API, or both');
}

/** The changes to node groups of several providers. */
export const combinedChanges = (of: (group: GroupName) => NodeGroupChanges): NodeGroupChanges => ({
  readSize: (group, signal) => of(group).readSize(group, signal),
  readInstance: (group, instance, signal) => of(group).readInstance(group, instance, signal),
  setSize: (group, size, signal) => of(group).setSize(group, size, signal),
  terminate: (group, instance, decrement, signal) => of(group).terminate(group, instance, decrement, signal),
  withdrawTermination: async (group, instance, signal) =>
    (await of(group).withdrawTermination?.(group, instance, signal)) ?? { kind: 'withdrawn' },
});
