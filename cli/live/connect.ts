import { required } from '@outrigger/core/model/values/existing.ts';
import { present } from '@outrigger/core/model/values/present.ts';
import type { Discovery } from '@outrigger/core/model/discovery.ts';
import type { Options } from '@outrigger/core/model/options.ts';
import type { ExternalExpander } from '@outrigger/core/ports/external-expander.ts';
import { goesByPrices } from '@outrigger/core/model/goes-by-prices.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { printable } from '@outrigger/core/model/values/printable.ts';
import { type ClusterName, clusterName } from '@outrigger/core/model/values/names.ts';
import type { NodeGroups } from '@outrigger/core/ports/node-groups.ts';
import { systemClock } from '../../functions/shared/clock.ts';
import type { Cluster } from '../../functions/shared/services.ts';
import { assumedRole } from '@outrigger/providers/aws/api/assumed-role.ts';
import { createAutoScalingGroups } from '@outrigger/providers/aws/auto-scaling-groups.ts';
import { createLambdaExpander } from '@outrigger/providers/aws/lambda/external-expander.ts';
import { createClusterApiGroups } from '@outrigger/providers/clusterapi/cluster-api-groups.ts';
import { clusterAccessOver, objectsOf } from '@outrigger/providers/kubernetes/access.ts';
import { connectionOfKubeconfig } from '@outrigger/providers/kubernetes/auth/kubeconfig.ts';
import {
  createTransport,
  type Transport,
  type TransportOptions,
} from '@outrigger/providers/kubernetes/client/transport.ts';
import { managementTransport } from '@outrigger/providers/node-groups/management-cluster.ts';
import { groupsOfCluster } from '@outrigger/providers/node-groups/of-cluster.ts';
import type { ClusterApi } from '@outrigger/providers/schema/cluster-api.ts';
import type { LiveFlags } from './flags.ts';
import { isManagementGiven, type LiveSettings, liveSettings, scalesGroups } from './settings.ts';

/** A cluster that can be read and written. */
export interface ConnectedCluster {
  readonly cluster: Cluster;
  /** `null`: nothing on AWS is needed. */
  readonly region: string | null;
  /** Rules for the Auto Scaling groups that are node groups; `null`: by the tags of Cluster Autoscaler's convention. */
  readonly discovery: Discovery | null;
  /** `null`: Auto Scaling groups alone. */
  readonly clusterApi: ClusterApi | null;
  /** The cluster's API server. */
  readonly server: URL;
  readonly transport: Transport;
  readonly close: () => void;
}

/**
 * Connects to a cluster and to its node groups; nothing is read yet.
 *
 * @param patience with the API server of the cluster; absent: the transport's default
 * @throws where the options cannot be read or the kubeconfig gives no connection
 */
export async function connect(
  flags: LiveFlags,
  warn: (message: string) => void,
  patience: Pick<Partial<TransportOptions>, 'maxAttempts'> = {},
): Promise<ConnectedCluster> {
  const name = clusterName(flags.cluster);
  const settings = await liveSettings(flags, (message) => process.stderr.write(`${printable(message)}\n`));
  const { options } = settings;
  const connection = await connectionOfKubeconfig({ file: flags.kubeconfig ?? null, context: flags.context ?? null });
  const transport = createTransport(connection, patience);
  const access = clusterAccessOver(transport, { ...objectsOf(options), now: systemClock.now, warn });
  const { clusterApi } = settings;
  const management = await managementFor(settings, flags, name, transport);
  const groups = groupsOfCluster(
    scalesGroups(clusterApi) ? scalingGroupsFor(settings, flags, name, warn) : null,
    mapOptional(clusterApi, (settingsOfApi) =>
      createClusterApiGroups({
        ...settingsOfApi,
        cluster: name,
        inManagementCluster: management !== transport,
        transport: management,
        warn,
        now: systemClock.now,
      }),
    ),
  );
  return {
    cluster: { name, options, expander: expanderFor(options, flags), ...access, ...groups },
    region: settings.region,
    discovery: settings.discovery,
    clusterApi,
    server: connection.server,
    transport,
    close: () => new Set([transport, management]).forEach((one) => one.close()),
  };
}

const expanderFor = ({ externalExpander }: Options, { awsEndpoint }: LiveFlags): ExternalExpander | undefined =>
  externalExpander === '' ? undefined : createLambdaExpander(externalExpander, awsEndpoint);

/** The API server that has the resources of Cluster API. */
async function managementFor(
  { clusterApi, region }: LiveSettings,
  flags: LiveFlags,
  cluster: ClusterName,
  own: Transport,
): Promise<Transport> {
  if (isManagementGiven(flags)) {
    const { managementKubeconfig = flags.kubeconfig, managementContext } = flags;
    return createTransport(
      await connectionOfKubeconfig({ file: managementKubeconfig ?? null, context: managementContext ?? null }),
    );
  }
  const management = clusterApi?.managementCluster ?? null;
  if (management === null) {
    return own;
  }
  return managementTransport(management, {
    cluster,
    region: management.region ?? required(region, 'the region'),
    now: systemClock.now,
    ...present({ endpoint: flags.awsEndpoint }),
  });
}

const scalingGroupsFor = (
  { region, options, discovery, role }: LiveSettings,
  { awsEndpoint }: LiveFlags,
  cluster: ClusterName,
  warn: (message: string) => void,
): NodeGroups => {
  // The settings are refused without a region where one is needed.
  const own = required(region, 'the region');
  return createAutoScalingGroups({
    cluster,
    region: own,
    discovery,
    prices: goesByPrices(options),
    reservedCapacity: options.reservedCapacity,
    warn,
    now: systemClock.now,
    ...present({ credentials: role && assumedRole(role, cluster, own), endpoint: awsEndpoint }),
  });
};
