import { goesByPrices } from '@outrigger/core/model/goes-by-prices.ts';
import { durationMs, minutes, seconds } from '@outrigger/core/model/values/time.ts';
import { snapshotPrefix } from '@outrigger/core/model/snapshot-keys.ts';
import { createAutoScalingGroups } from '@outrigger/providers/aws/auto-scaling-groups.ts';
import { createAwsClients } from '@outrigger/providers/aws/api/clients.ts';
import { createClusterApiGroups } from '@outrigger/providers/clusterapi/cluster-api-groups.ts';
import { createLambdaExpander } from '@outrigger/providers/aws/lambda/external-expander.ts';
import { s3Snapshots } from '@outrigger/providers/aws/snapshots/s3-snapshots.ts';
import { createPersistence } from '@outrigger/providers/dynamodb/persistence.ts';
import { clusterAccessOver, objectsOf, type SnapshotsOfCluster } from '@outrigger/providers/kubernetes/access.ts';
import { connectionOfEksCluster } from '@outrigger/providers/aws/api/eks-connection.ts';
import { renewingTransport } from '@outrigger/providers/kubernetes/client/renewing-transport.ts';
import { managementTransport } from '@outrigger/providers/node-groups/management-cluster.ts';
import { groupsOfCluster } from '@outrigger/providers/node-groups/of-cluster.ts';
import { readOptions } from '@outrigger/providers/scenario/read-options.ts';
import { type AwsStack, openStack } from './aws-stack.ts';
import { systemClock } from './clock.ts';
import { clientSettings, clusterApiOf, discoveryOf, terminationsOf } from './stack-settings.ts';
import { reportSnapshots } from './snapshots.ts';
import type { Cluster, Services } from './services.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';

interface AwsServices extends Pick<AwsStack, 'lambda'> {
  readonly services: Services;
}

/**
 * The services of evaluations on AWS, for the one cluster that a deployment manages. Made once per sandbox, without I/O.
 *
 * @param service the function's name
 * @throws Error when the environment that the stack in `cdk/` sets is incomplete, or an option is wrong
 */
export function createAwsServices(service: string): AwsServices {
  const stack = openStack(service);
  const { environment, cluster: name, services: common, table, lambda } = stack;
  const { AWS_REGION: region, OUTRIGGER_SNAPSHOT_BUCKET: bucket } = environment;
  const kept = mapOptional(bucket, (given) => ({
    store: s3Snapshots({ region, bucket: given, prefix: snapshotPrefix(name) }),
    cluster: name,
    ...reportSnapshots(common, name),
  }));
  const cluster = clusterOnAws(stack, kept ?? undefined);
  const services: Services = {
    ...common,
    ...createPersistence(table),
    cluster: (wanted) => (wanted === name ? cluster : null),
    webhook: environment.OUTRIGGER_WEBHOOK !== 'none',
    // Scans that are less than a minute apart are of scale-up alone.
    scanInterval: durationMs(Math.max(seconds(environment.OUTRIGGER_SCAN_SECONDS), minutes(1))),
  };
  return { services, lambda };
}

/** The objects of an EKS cluster, and its node groups: in this account, or in that of a role. */
function clusterOnAws(
  { cluster: name, environment, services: { log } }: AwsStack,
  snapshots: SnapshotsOfCluster | undefined,
): Cluster {
  const { AWS_REGION: region } = environment;
  const { now } = systemClock;
  const warn = (message: string): void => log.warn(message);
  const clients = createAwsClients(clientSettings(environment, name));
  const options = readOptions(JSON.parse(environment.OUTRIGGER_OPTIONS), 'OUTRIGGER_OPTIONS');
  const discovery = discoveryOf(environment);
  const transport = renewingTransport(() => connectionOfEksCluster(clients.eks, name), now);
  const prices = goesByPrices(options);
  const { reservedCapacity } = options;
  const clusterApi = clusterApiOf(environment);
  const management = clusterApi?.managementCluster ?? null;
  const scalesGroups = clusterApi?.autoScalingGroups !== false;
  const access = { cluster: name, region, now };
  const transportThere = mapOptional(management, (there) => managementTransport(there, access)) ?? transport;
  return {
    name,
    options,
    expander: options.externalExpander === '' ? undefined : createLambdaExpander(options.externalExpander),
    ...clusterAccessOver(transport, {
      ...objectsOf(options),
      now,
      warn,
      snapshots,
    }),
    terminations: terminationsOf(environment, name, clients.autoScaling),
    ...groupsOfCluster(
      scalesGroups
        ? createAutoScalingGroups({ cluster: name, discovery, region, clients, prices, reservedCapacity, warn, now })
        : null,
      mapOptional(clusterApi, (resources) =>
        createClusterApiGroups({
          ...resources,
          cluster: name,
          inManagementCluster: management !== null,
          transport: transportThere,
          warn,
          now,
        }),
      ),
    ),
  };
}
