import { goesByPrices } from '@outrigger/core/model/goes-by-prices.ts';
import { durationMs, minutes, seconds } from '@outrigger/core/model/values/time.ts';
import { snapshotPrefix } from '@outrigger/core/model/snapshot-keys.ts';
import type { SnapshotStore } from '@outrigger/core/ports/snapshot-store.ts';
import { createAutoScalingGroups } from '@outrigger/providers/aws/auto-scaling-groups.ts';
import { createAwsClients } from '@outrigger/providers/aws/api/clients.ts';
import { createClusterApiGroups } from '@outrigger/providers/clusterapi/cluster-api-groups.ts';
import type { StartedFunction } from '@outrigger/providers/aws/lambda/stack-environment.ts';
import { createDrainQueue } from '@outrigger/providers/aws/lambda/drain-queue.ts';
import { createDrainExecutions, createScaleDownCalls } from '@outrigger/providers/aws/lambda/executions.ts';
import { createLambdaExpander } from '@outrigger/providers/aws/lambda/external-expander.ts';
import type { Observability } from '@outrigger/providers/aws/lambda/handler.ts';
import type { BucketPlace } from '@outrigger/providers/aws/snapshots/s3-snapshots.ts';
import { createPersistence } from '@outrigger/providers/dynamodb/persistence.ts';
import { clusterAccessOver, objectsOf, type SnapshotsOfCluster } from '@outrigger/providers/kubernetes/access.ts';
import { connectionOfEksCluster } from '@outrigger/providers/aws/api/eks-connection.ts';
import { renewingTransport } from '@outrigger/providers/kubernetes/client/renewing-transport.ts';
import { DEFAULT_TRANSPORT } from '@outrigger/providers/kubernetes/client/transport.ts';
import { managementTransport } from '@outrigger/providers/node-groups/management-cluster.ts';
import { groupsOfCluster } from '@outrigger/providers/node-groups/of-cluster.ts';
import { readOptions } from '@outrigger/providers/scenario/read-options.ts';
import { type AwsStack, openStack } from './aws-stack.ts';
import { systemClock } from './clock.ts';
import { clientSettings, clusterApiOf, discoveryOf, terminationsOf } from './stack-settings.ts';
import { reportSnapshots } from './snapshots.ts';
import type { Cluster, World } from './world.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';

/**
 * Largest answer of the API server, in bytes, for functions with 512 MB of memory. They read single nodes, of whose pods and
 * budgets a page has a few MB, but eight answers may come at a time, and each takes twice its size while it is put together.
 */
export const SMALL_ANSWERS = 16 * 1024 * 1024;

interface AwsWorld extends Pick<Observability, 'publish'> {
  readonly world: World;
  readonly lambda: Observability['handler'];
  /** The driver of drains: durable executions, or messages of a queue. */
  readonly drains: 'durable' | 'schedule';
}

export interface AwsWorldSettings {
  /** Largest answer of the API server that is read: for functions with less memory than scale-up's. */
  readonly maxBodyBytes?: number;
  /** The functions that the function starts. */
  readonly starts?: StartedFunction;
  /** Opens the bucket with snapshots of cached lists, where the stack has one. Absent: the function does not keep lists. */
  readonly snapshots?: (of: BucketPlace) => SnapshotStore;
}

/**
 * The world as it is on AWS, for the one cluster that a deployment manages. Made once per sandbox, without I/O.
 *
 * @param service the function's name
 * @throws Error when the environment that the stack in `cdk/` sets is incomplete, or an option is wrong
 */
export function createAwsWorld(service: string, settings: AwsWorldSettings = {}): AwsWorld {
  const { maxBodyBytes = DEFAULT_TRANSPORT.maxBodyBytes, starts, snapshots } = settings;
  const stack = openStack(service, starts);
  const { environment, cluster: name, services, table, lambda, publish } = stack;
  const { AWS_REGION: region, OUTRIGGER_DRAIN_QUEUE_URL: drainQueue, OUTRIGGER_SNAPSHOT_BUCKET: bucket } = environment;
  const { log, metrics } = services;
  const store = bucket === null ? undefined : snapshots?.({ region, bucket, prefix: snapshotPrefix(name) });
  const kept = store && { store, cluster: name, ...reportSnapshots({ log, metrics }, name) };
  const cluster = clusterOnAws(stack, maxBodyBytes, kept);
  const world: World = {
    ...services,
    ...createPersistence(table),
    ...(drainQueue === null
      ? createDrainExecutions(environment.OUTRIGGER_DRAIN_FUNCTION)
      : createDrainQueue(drainQueue)),
    ...createScaleDownCalls(environment.OUTRIGGER_SCALE_DOWN_FUNCTION),
    cluster: (wanted) => (wanted === name ? cluster : null),
    webhook: environment.OUTRIGGER_WEBHOOK !== 'none',
    // Scans that are less than a minute apart are of scale-up alone.
    scanInterval: durationMs(Math.max(seconds(environment.OUTRIGGER_SCAN_SECONDS), minutes(1))),
  };
  return { world, lambda, publish, drains: drainQueue === null ? 'durable' : 'schedule' };
}

/** The objects of an EKS cluster, and its node groups: in this account, or in that of a role. */
function clusterOnAws(
  { cluster: name, environment, services: { log } }: AwsStack,
  maxBodyBytes: number,
  snapshots: SnapshotsOfCluster | undefined,
): Cluster {
  const { AWS_REGION: region } = environment;
  const { now } = systemClock;
  const warn = (message: string): void => log.warn(message);
  const clients = createAwsClients(clientSettings(environment, name));
  const options = readOptions(JSON.parse(environment.OUTRIGGER_OPTIONS), 'OUTRIGGER_OPTIONS');
  const discovery = discoveryOf(environment);
  const transport = renewingTransport(() => connectionOfEksCluster(clients.eks, name), now, { maxBodyBytes });
  const prices = goesByPrices(options);
  const { reservedCapacity } = options;
  const clusterApi = clusterApiOf(environment);
  const management = clusterApi?.managementCluster ?? null;
  const scalesGroups = clusterApi?.autoScalingGroups !== false;
  const access = { cluster: name, region, now, options: { maxBodyBytes } };
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
