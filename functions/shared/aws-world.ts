import { conventionOf } from '../../core/model/discovery.ts';
import { type ClusterName, clusterName } from '../../core/model/values/names.ts';
import { goesByPrices } from '../../core/nodegroups/stated-prices.ts';
import { durationMs, minutes, seconds } from '../../core/model/values/time.ts';
import { snapshotPrefix } from '../../core/model/snapshot-keys.ts';
import type { Log } from '../../core/ports/observability.ts';
import type { SnapshotStore } from '../../core/ports/snapshot-store.ts';
import { createEventBus } from '../../providers/aws/event-bus.ts';
import { createAutoScalingGroups } from '../../providers/aws/auto-scaling-groups.ts';
import { assumedRole } from '../../providers/aws/api/assumed-role.ts';
import { createTerminations } from '../../providers/aws/groups/terminations.ts';
import { createAwsClients } from '../../providers/aws/api/clients.ts';
import { createClusterApiGroups } from '../../providers/clusterapi/cluster-api-groups.ts';
import {
  readStackEnvironment,
  type StackEnvironment,
  type StartedFunction,
} from '../../providers/aws/lambda/stack-environment.ts';
import { createDrainQueue } from '../../providers/aws/lambda/drain-queue.ts';
import { createDrainExecutions, createScaleDownCalls } from '../../providers/aws/lambda/executions.ts';
import { createLambdaExpander } from '../../providers/aws/lambda/external-expander.ts';
import { type Observability, observe } from '../../providers/aws/lambda/handler.ts';
import type { BucketPlace } from '../../providers/aws/snapshots/s3-snapshots.ts';
import { createSqsQueue } from '../../providers/aws/wake-ups/queue.ts';
import { createPersistence } from '../../providers/dynamodb/persistence.ts';
import { clusterAccessOver, objectsOf, type SnapshotsOfCluster } from '../../providers/kubernetes/access.ts';
import { connectionOfEksCluster } from '../../providers/aws/api/eks-connection.ts';
import { renewingTransport } from '../../providers/kubernetes/client/renewing-transport.ts';
import { DEFAULT_TRANSPORT } from '../../providers/kubernetes/client/transport.ts';
import { managementTransport } from '../../providers/node-groups/management-cluster.ts';
import { groupsOfCluster } from '../../providers/node-groups/of-cluster.ts';
import { readOptions } from '../../providers/scenario/read-options.ts';
import { parseClusterApi } from '../../providers/schema/cluster-api.ts';
import { parseDiscovery } from '../../providers/schema/discovery.ts';
import { systemClock } from './clock.ts';
import { reportSnapshots } from './snapshots.ts';
import type { Cluster, World } from './world.ts';

/**
 * Largest answer of the API server, in bytes, for functions with 512 MB of memory. They read single nodes, of whose pods and
 * budgets a page has a few MB, but eight answers may come at a time, and each takes twice its size while it is put together.
 */
export const SMALL_ANSWERS = 16 * 1024 * 1024;

export interface AwsWorld extends Pick<Observability, 'publish'> {
  readonly cluster: ClusterName;
  readonly region: string;
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
  /** Opens the bucket with snapshots of kept lists, where the stack has one. Absent: the function does not keep lists. */
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
  const environment = readStackEnvironment(starts);
  const { AWS_REGION: region, OUTRIGGER_TABLE: table, OUTRIGGER_DRAIN_QUEUE_URL: drainQueue } = environment;
  const name = clusterName(environment.OUTRIGGER_CLUSTER);
  const { log, metrics, handler: lambda, publish } = observe(service, name);
  const { OUTRIGGER_SNAPSHOT_BUCKET: bucket, OUTRIGGER_EVENT_BUS: bus } = environment;
  const store = bucket === null ? undefined : snapshots?.({ region, bucket, prefix: snapshotPrefix(name) });
  const cluster = clusterOnAws(
    name,
    environment,
    maxBodyBytes,
    log,
    store && { store, cluster: name, ...reportSnapshots({ log, metrics }, name) },
  );
  const tick = seconds(environment.OUTRIGGER_TICK_SECONDS);
  const world: World = {
    ...systemClock,
    ...(drainQueue === null
      ? createDrainExecutions(environment.OUTRIGGER_DRAIN_FUNCTION)
      : createDrainQueue(drainQueue)),
    ...createScaleDownCalls(environment.OUTRIGGER_SCALE_DOWN_FUNCTION),
    ...createSqsQueue(environment.OUTRIGGER_QUEUE_URL, systemClock.now, { tick }),
    ...createPersistence({ region, table, log, metrics }),
    messages: bus === null ? undefined : createEventBus(bus),
    log,
    metrics,
    cluster: (wanted) => (wanted === name ? cluster : null),
    dryRun: environment.OUTRIGGER_DRY_RUN === 'true',
    webhook: environment.OUTRIGGER_WEBHOOK !== 'none',
    // Ticks that are less than a minute apart are of scale-up alone.
    tickInterval: durationMs(Math.max(tick, minutes(1))),
  };
  return { cluster: name, region, world, lambda, publish, drains: drainQueue === null ? 'durable' : 'schedule' };
}

/** The objects of an EKS cluster, and its node groups: in this account, or in that of a role. */
function clusterOnAws(
  name: ClusterName,
  environment: StackEnvironment,
  maxBodyBytes: number,
  log: Log,
  snapshots: SnapshotsOfCluster | undefined,
): Cluster {
  const { AWS_REGION: region, OUTRIGGER_ROLE: arn, OUTRIGGER_ROLE_EXTERNAL_ID: externalId } = environment;
  const { now } = systemClock;
  const warn = (message: string): void => log.warn(message);
  const clients = createAwsClients({
    region,
    ...(arn === null ? {} : { credentials: assumedRole({ arn, externalId }, name, region) }),
  });
  const options = readOptions(JSON.parse(environment.OUTRIGGER_OPTIONS), 'OUTRIGGER_OPTIONS');
  const discovery =
    environment.OUTRIGGER_DISCOVERY === null
      ? null
      : parseDiscovery(environment.OUTRIGGER_DISCOVERY, 'OUTRIGGER_DISCOVERY');
  const transport = renewingTransport(() => connectionOfEksCluster(clients.eks, name), now, { maxBodyBytes });
  const prices = goesByPrices(options);
  const { OUTRIGGER_CLUSTER_API: written } = environment;
  const clusterApi = written === null ? null : parseClusterApi(written, 'OUTRIGGER_CLUSTER_API');
  const management = clusterApi?.managementCluster ?? null;
  const scalesGroups = clusterApi?.autoScalingGroups !== false;
  const access = { cluster: name, region, now, options: { maxBodyBytes } };
  const transportThere = management === null ? transport : managementTransport(management, access);
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
    terminations: scalesGroups
      ? createTerminations(clients.autoScaling, name, discovery ?? conventionOf(name), now)
      : undefined,
    ...groupsOfCluster(
      scalesGroups ? createAutoScalingGroups({ cluster: name, discovery, region, clients, prices, warn, now }) : null,
      clusterApi === null
        ? null
        : createClusterApiGroups({
            ...clusterApi,
            cluster: name,
            inManagementCluster: management !== null,
            transport: transportThere,
            warn,
            now,
          }),
    ),
  };
}
