import * as z from 'zod';
import { clusterName } from '../../core/model/names.ts';
import { createAutoScalingGroups } from '../../providers/aws/auto-scaling-groups.ts';
import { createAwsClients } from '../../providers/aws/clients.ts';
import { createDynamoDbClient } from '../../providers/dynamodb/client.ts';
import { createDynamoDbStore } from '../../providers/dynamodb/store.ts';
import { connectionOfEksCluster } from '../../providers/kubernetes/eks.ts';
import { createClusterReader } from '../../providers/kubernetes/reader.ts';
import { systemClock } from './clock.ts';
import { readEnvironment } from './environment.ts';
import { type Observability, observe } from './handler.ts';
import { lazyReader } from './lazy-reader.ts';
import { readOptions } from './options.ts';
import { createSqsQueue } from './sqs.ts';
import type { Cluster, World } from './world.ts';

/**
 * The world as it is on AWS, for the one cluster that a deployment looks after. Made once per sandbox, without I/O.
 *
 * @param service the function's name
 * @throws Error when the environment that the stack in `cdk/` sets is incomplete, or an option is wrong
 */
export function createAwsWorld(service: string): { readonly world: World; readonly lambda: Observability['handler'] } {
  const environment = readEnvironment({
    AWS_REGION: z.string().min(1),
    OUTRIGGER_CLUSTER: z.string().min(1),
    OUTRIGGER_QUEUE_URL: z.url(),
    OUTRIGGER_TABLE: z.string().min(1),
    OUTRIGGER_OPTIONS: z.string().default('{}'),
    OUTRIGGER_DRY_RUN: z.enum(['true', 'false']).default('false'),
  });
  const { AWS_REGION: region, OUTRIGGER_TABLE: table } = environment;
  const name = clusterName(environment.OUTRIGGER_CLUSTER);
  const { log, metrics, handler: lambda } = observe(service, name);
  const clients = createAwsClients({ region });
  const options = readOptions(JSON.parse(environment.OUTRIGGER_OPTIONS), 'OUTRIGGER_OPTIONS');
  const cluster: Cluster = {
    name,
    provider: 'aws',
    options,
    reader: lazyReader(async () => createClusterReader(await connectionOfEksCluster(clients.eks, name))),
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
    ...createSqsQueue(environment.OUTRIGGER_QUEUE_URL, systemClock.now),
    log,
    metrics,
    store: createDynamoDbStore({
      client: createDynamoDbClient({ region }),
      table,
      onQuarantine: (problem) => {
        log.error('Something stored could not be read and is left aside', { ...problem });
        metrics.count('QuarantinedItems', 1);
      },
    }),
    cluster: (wanted) => (wanted === name ? cluster : null),
    dryRun: environment.OUTRIGGER_DRY_RUN === 'true',
  };
  return { world, lambda };
}
