import type { ProviderName } from '@outrigger/core/model/provider.ts';
import type { NodeGroups } from '@outrigger/core/ports/node-groups.ts';
import { isClusterApiName } from './changes-of-cluster.ts';
import { combinedNodeGroups } from './combined.ts';

/** The node groups of a cluster, and the provider that is usual among them. */
interface GroupsOfCluster {
  readonly provider: ProviderName;
  readonly groups: NodeGroups;
}

/**
 * The node groups of a cluster, of one provider or of two.
 *
 * @param scaling its Auto Scaling groups; `null`: they are no node groups
 * @param clusterApi its resources of Cluster API; `null`: they are no node groups
 * @throws Error where neither are
 */
export function groupsOfCluster(scaling: NodeGroups | null, clusterApi: NodeGroups | null): GroupsOfCluster {
  if (scaling !== null && clusterApi !== null) {
    const groups = combinedNodeGroups('aws', [
      { provider: 'clusterapi', groups: clusterApi, owns: isClusterApiName },
      { provider: 'aws', groups: scaling, owns: (name) => !isClusterApiName(name) },
    ]);
    return { provider: 'aws', groups };
  }
  if (clusterApi !== null) {
    return { provider: 'clusterapi', groups: clusterApi };
  }
  if (scaling === null) {
    throw new Error('node groups are Auto Scaling groups, resources of Cluster API, or both, and here neither are');
  }
  return { provider: 'aws', groups: scaling };
}
