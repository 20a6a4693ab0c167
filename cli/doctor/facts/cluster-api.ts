import { EKSClient } from '@aws-sdk/client-eks';
import { assumedRole } from '@outrigger/providers/aws/api/assumed-role.ts';
import type { ClientSettings } from '@outrigger/providers/aws/api/clients.ts';
import { createClusterApiGroups } from '@outrigger/providers/clusterapi/cluster-api-groups.ts';
import { connectionOfEksCluster } from '@outrigger/providers/aws/api/eks-connection.ts';
import type { Connection } from '@outrigger/providers/kubernetes/client/connection.ts';
import { createTransport, type Transport } from '@outrigger/providers/kubernetes/client/transport.ts';
import { clusterName } from '@outrigger/core/model/values/names.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { present } from '@outrigger/core/model/values/present.ts';
import { ok } from '@outrigger/core/model/values/result.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import type { ClusterApi } from '@outrigger/providers/schema/cluster-api.ts';
import { roleOf } from '../../live/configured.ts';
import type { DoctorSettings } from '../settings.ts';
import { type Fact, factOf } from './fact.ts';
import type { ClusterApiGroup, Facts } from './facts.ts';
import { PATIENCE, readAutoscalers } from './kubernetes.ts';
import { neededInManagement, readPermissions } from './permissions.ts';
import { lacksPrice } from './prices.ts';

/** The call that reads resources of Cluster API. */
const LIST_RESOURCES = 'list machinedeployments, machinesets and machines';

/** The facts about Cluster API, and about the cluster that has its resources. */
export type ClusterApiFacts = Pick<Facts, 'resources' | 'management'>;

/**
 * Reads the resources of Cluster API that are node groups, from the cluster itself or from its management cluster, and
 * what else there matters.
 *
 * @param own how the cluster itself is reached
 * @param clients for EKS; `null`: nothing of AWS can be called
 */
export async function readClusterApi(
  settings: DoctorSettings,
  own: Fact<Connection>,
  clients: Fact<ClientSettings>,
  now: EpochMs,
): Promise<ClusterApiFacts> {
  const { cluster, clusterApi } = settings;
  if (clusterApi === null) {
    return { resources: ok([]), management: null };
  }
  const { managementCluster: management } = clusterApi;
  if (management === null) {
    return {
      resources: await over(own, (transport) => readResources(transport, settings, clusterApi, now)),
      management: null,
    };
  }
  const connection = clients.ok
    ? await factOf('eks:DescribeCluster', () => connect(cluster, management, clients.value))
    : clients;
  const asRole = management.role !== null;
  const [resources, permissions, autoscalers] = await Promise.all([
    over(connection, (transport) => readResources(transport, settings, clusterApi, now)),
    over(connection, (transport) =>
      factOf('create selfsubjectaccessreviews.authorization.k8s.io', () =>
        readPermissions(transport, neededInManagement(settings, asRole)),
      ),
    ),
    over(connection, (transport) => factOf('list deployments.apps', () => readAutoscalers(transport))),
  ]);
  return { resources, management: { name: management.name, asRole, permissions, autoscalers } };
}

/** Reads a fact over a connection, if there is one. */
async function over<T>(
  connection: Fact<Connection>,
  read: (transport: Transport) => Promise<Fact<T>>,
): Promise<Fact<T>> {
  if (!connection.ok) {
    return connection;
  }
  const transport = createTransport(connection.value, PATIENCE);
  try {
    return await read(transport);
  } finally {
    transport.close();
  }
}

const readResources = async (
  transport: Transport,
  { cluster, options }: Pick<DoctorSettings, 'cluster' | 'options'>,
  clusterApi: ClusterApi,
  now: EpochMs,
): Promise<Fact<readonly ClusterApiGroup[]>> =>
  await factOf(LIST_RESOURCES, async () => {
    const groups = createClusterApiGroups({
      ...clusterApi,
      cluster: clusterName(cluster),
      inManagementCluster: clusterApi.managementCluster !== null,
      transport,
      warn: () => {},
      now: () => now,
    });
    return (await groups.list([])).map((group) => ({
      name: group.name,
      problem: group.invalid,
      lacksPrice: lacksPrice(options, group),
    }));
  });

async function connect(
  cluster: string,
  { name, region, role, externalId }: NonNullable<NonNullable<DoctorSettings['clusterApi']>['managementCluster']>,
  clients: ClientSettings,
): Promise<Connection> {
  const credentials = mapOptional(roleOf({ role, externalId }), (given) =>
    assumedRole(given, clusterName(cluster), clients.region, clients),
  );
  const eks = new EKSClient({ ...clients, region: region ?? clients.region, ...present({ credentials }) });
  try {
    return await connectionOfEksCluster(eks, name);
  } finally {
    eks.destroy();
  }
}
