import * as z from 'zod';
import { clusterName } from '../../core/model/values/names.ts';
import { createAutoScalingGroups } from '../../providers/aws/auto-scaling-groups.ts';
import { createAwsClients } from '../../providers/aws/api/clients.ts';
import { createDynamoDbClient } from '../../providers/dynamodb/client.ts';
import { createDynamoDbDrains } from '../../providers/dynamodb/drains.ts';
import { createDynamoDbStore } from '../../providers/dynamodb/store.ts';
import { clusterAccessOver } from '../../providers/kubernetes/access.ts';
import { connectionOfEksCluster } from '../../providers/kubernetes/auth/eks.ts';
import { renewingTransport } from '../../providers/kubernetes/client/renewing-transport.ts';
import { DEFAULT_TRANSPORT } from '../../providers/kubernetes/client/transport.ts';
import { systemClock } from './clock.ts';
import { createDrainExecutions, createScaleDownCalls } from './drain-executions.ts';
import { readEnvironment } from './environment.ts';
import { type Observability, observe } from './handler.ts';
import { readOptions } from '../../providers/scenario/read-options.ts';
import { createSqsQueue } from './sqs.ts';
import type { Cluster, Log, Metrics, World } from './world.ts';

/**
 * Largest answer of the API server, in bytes, for functions with 512 MB of memory. They read single nodes, of whose pods and
 * budgets a page has a few MB, but eight answers may come at a time, and each takes twice its size while it is put together.
 */
export const SMALL_ANSWERS = 16 * 1024 * 1024;

export interface AwsWorld extends Pick<Observability, 'publish'> {
  readonly world: World;
  readonly lambda: Observability['handler'];
}

/**
 * The world as it is on AWS, for the one cluster that a deployment manages. Made once per sandbox, without I/O.
 *
 * @param service the function's name
 * @param maxBodyBytes largest answer of the API server that is read: for functions with less memory than scale-up's.
 * @throws Error when the environment that the stack in `cdk/` sets is incomplete, or an option is wrong
 */
export function createAwsWorld(service: string, maxBodyBytes = DEFAULT_TRANSPORT.maxBodyBytes): AwsWorld {
  const environment = readEnvironment({
    AWS_REGION: z.string().min(1),
    OUTRIGGER_CLUSTER: z.string().min(1),
    OUTRIGGER_QUEUE_URL: z.url(),
    OUTRIGGER_TABLE: z.string().min(1),
    OUTRIGGER_DRAIN_FUNCTION: z.string().min(1).nullable().default(null),
    OUTRIGGER_SCALE_DOWN_FUNCTION: z.string().min(1).nullable().default(null),
    OUTRIGGER_OPTIONS: z.string().default('{}'),
    OUTRIGGER_DRY_RUN: z.enum(['true', 'false']).default('false'),
  });
  const { AWS_REGION: region } = environment;
  const name = clusterName(environment.OUTRIGGER_CLUSTER);
  const { log, metrics, handler: lambda, publish } = observe(service, name);
  const clients = createAwsClients({ region });
  const options = readOptions(JSON.parse(environment.OUTRIGGER_OPTIONS), 'OUTRIGGER_OPTIONS');
  const cluster: Cluster = {
    name,
    provider: 'aws',
    options,
    ...clusterAccessOver(
      renewingTransport(() => connectionOfEksCluster(clients.eks, name), systemClock.now, { maxBodyBytes }),
      { namespace: options.namespace, now: systemClock.now, warn: (message) => log.warn(message) },
    ),
    groups: createAutoScalingGroups({
      cluster: name,
      region,
      clients,
      prices: options.expander.includes('price'),
      warn: (message) => log.warn(message),
      now: systemClock.now,
    }),
  };
  const world: World = {
    ...systemClock,
    ...createDrainExecutions(environment.OUTRIGGER_DRAIN_FUNCTION),
    ...createScaleDownCalls(environment.OUTRIGGER_SCALE_DOWN_FUNCTION),
    ...createSqsQueue(environment.OUTRIGGER_QUEUE_URL, systemClock.now),
    log,
    metrics,
    ...persistenceIn(environment.OUTRIGGER_TABLE, region, log, metrics),
    cluster: (wanted) => (wanted === name ? cluster : null),
    dryRun: environment.OUTRIGGER_DRY_RUN === 'true',
  };
  return { world, lambda, publish };
}

/** State, intents and drains in DynamoDB; what cannot be read or stored there is logged and counted. */
function persistenceIn(table: string, region: string, log: Log, metrics: Metrics): Pick<World, 'store' | 'drains'> {
  const client = createDynamoDbClient({ region });
  return {
    store: createDynamoDbStore({
      client,
      table,
      onQuarantine: (problem) => {
        log.error('Something stored could not be read and is left aside', { ...problem });
        metrics.count('QuarantinedItems', 1);
        metrics.count('NeedsCorrection', 1);
      },
      onOmitted: ({ omitted }) => {
        for (const { part, names } of omitted) {
          log.warn(`The state is too large to be stored whole: ${part} of ${names.length} is left out`, {
            part,
            names: names.slice(0, 20),
          });
          metrics.count('OmittedFromState', names.length);
        }
      },
    }),
    drains: createDynamoDbDrains({
      client,
      table,
      onUnreadable: (problem) => {
        log.error('A stored drain could not be read: its node stays tainted until that is mended', { ...problem });
        metrics.count('QuarantinedItems', 1);
        metrics.count('NeedsCorrection', 1);
      },
      onAbridged: (omitted) => {
        log.warn(
          'Evicted pods are too large to be kept whole; their replacements are planned for once they are there',
          {
            ...omitted,
          },
        );
        metrics.count('AbridgedPods', omitted.pods.length);
      },
    }),
  };
}
