import { EKSClient } from '@aws-sdk/client-eks';
import { assumedRole } from '../../../providers/aws/api/assumed-role.ts';
import type { ClientSettings } from '../../../providers/aws/api/clients.ts';
import { createClusterApiGroups } from '../../../providers/clusterapi/cluster-api-groups.ts';
import { connectionOfEksCluster } from '../../../providers/kubernetes/auth/eks.ts';
import type { Connection } from '../../../providers/kubernetes/client/connection.ts';
import { createTransport } from '../../../providers/kubernetes/client/transport.ts';
import { clusterName } from '../../../core/model/values/names.ts';
import { ok } from '../../../core/model/values/result.ts';
import type { EpochMs } from '../../../core/model/values/time.ts';
import type { DoctorSettings } from '../settings.ts';
import { type Fact, factOf } from './fact.ts';
import type { ResourceGroup } from './facts.ts';
import { PATIENCE } from './kubernetes.ts';

/** What a fact about resources of Cluster API is read by. */
export const LIST_RESOURCES = 'list machinedeployments, machinesets and machines';

/**
 * Reads the resources of Cluster API that are node groups, from the cluster itself or from its management cluster.
 *
 * @param own how the cluster itself is reached
 * @param clients for EKS; `null`: nothing of AWS can be called
 */
export async function readResources(
  { cluster, clusterApi }: DoctorSettings,
  own: Fact<Connection>,
  clients: ClientSettings | null,
  now: EpochMs,
): Promise<Fact<readonly ResourceGroup[]>> {
  if (clusterApi === null) {
    return ok([]);
  }
  const { managementCluster: management } = clusterApi;
  const connection =
    management === null || clients === null
      ? own
      : await factOf('eks:DescribeCluster', () => connect(cluster, management, clients));
  if (!connection.ok) {
    return connection;
  }
  const transport = createTransport(connection.value, PATIENCE);
  try {
    return await factOf(LIST_RESOURCES, async () => {
      const groups = createClusterApiGroups({ ...clusterApi, transport, warn: () => {}, now: () => now });
      return (await groups.list([])).map(({ name, invalid }) => ({ name, problem: invalid }));
    });
  } finally {
    transport.close();
  }
}

async function connect(
  cluster: string,
  { name, region, role, externalId }: NonNullable<NonNullable<DoctorSettings['clusterApi']>['managementCluster']>,
  clients: ClientSettings,
): Promise<Connection> {
  const credentials =
    role === null
      ? {}
      : { credentials: assumedRole({ arn: role, externalId }, clusterName(cluster), clients.region, clients) };
  const eks = new EKSClient({ ...clients, region: region ?? clients.region, ...credentials });
  try {
    return await connectionOfEksCluster(eks, name);
  } finally {
    eks.destroy();
  }
}
