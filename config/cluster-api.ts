import { type ClusterApi, writeClusterApi } from '@outrigger/providers/schema/cluster-api.ts';

/** How resources of Cluster API are node groups, as the environment of a function has it. */
export const clusterApiAsJson = (clusterApi: ClusterApi): string => JSON.stringify(writeClusterApi(clusterApi));

/** Settings of the roles in the cluster itself; `null`: the resources are in another cluster, or there are none. */
export const rolesIn = (clusterApi: ClusterApi | null): Roles | null =>
  clusterApi === null || clusterApi.managementCluster !== null ? null : rolesFor(clusterApi);

/** Settings of the roles in the cluster that has the resources. */
export const rolesFor = ({ apiGroup, machineDeployments, infrastructureTemplates }: ClusterApi): Roles => ({
  apiGroup,
  machineDeployments,
  infrastructureTemplates,
});

type Roles = Pick<ClusterApi, 'apiGroup' | 'machineDeployments' | 'infrastructureTemplates'>;
