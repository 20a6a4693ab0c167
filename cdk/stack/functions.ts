import { present } from '@outrigger/core/model/values/present.ts';
import path from 'node:path';
import { Duration } from 'aws-cdk-lib';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Function } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { clusterApiAsJson } from '../../config/cluster-api.ts';
import { discoveryAsJson } from '../../config/discovery.ts';
import { DEFAULT_SCAN_INTERVAL } from '../../config/schema.ts';
import { seconds } from '@outrigger/core/model/values/time.ts';
import type { ClusterSettings } from '../settings.ts';
import { evaluationOf } from './size.ts';
import { drainQueue } from './state.ts';
import { standardFunction, type StandardFunctionProps } from '../standard-function.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';

/** The functions that look after one cluster. */
export interface Functions {
  /** `null`: without a webhook. */
  readonly ingest: Function | null;
  readonly wake: Function;
  readonly scaleUp: Function;
  readonly scaleDown: Function;
  readonly drain: Function;
  /** The queue of the rounds of drains. */
  readonly drains: Queue;
  readonly actuate: Function;
  /** `null`: without a dashboard. */
  readonly widget: Function | null;
}

interface FunctionsProps {
  readonly cluster: ClusterSettings;
  /** The folder with one folder per function. */
  readonly bundles: string;
  readonly table: TableV2;
  /** `null`: without snapshots of cached lists. */
  readonly snapshots: Bucket | null;
  readonly queue: Queue;
  /** `null`: keys of AWS encrypt queues and logs. */
  readonly key: IKey | null;
  /** The hashes of the webhook's tokens, separated by commas; `null`: without a webhook. */
  readonly tokenHashes: string | null;
}

/** Makes a function from the bundle in this folder. */
type Make = (id: string, folder: string, props: Omit<StandardFunctionProps, 'bundle' | 'key' | 'tracing'>) => Function;

export function createFunctions(scope: Construct, props: FunctionsProps): Functions {
  const { cluster, bundles, table, snapshots, queue, key, tokenHashes } = props;
  const make: Make = (id, folder, { environment, ...rest }) =>
    standardFunction(scope, id, {
      ...rest,
      bundle: path.join(bundles, folder),
      environment: {
        OUTRIGGER_CLUSTER: cluster.name,
        OUTRIGGER_QUEUE_URL: queue.queueUrl,
        ...environment,
      },
      tracing: cluster.tracing,
      key,
    });
  const variables = {
    OUTRIGGER_TABLE: table.tableName,
    OUTRIGGER_OPTIONS: JSON.stringify(cluster.options),
    OUTRIGGER_DRY_RUN: String(cluster.dryRun),
    ...clusterEnvironment(cluster),
  };
  const telling = {
    ...variables,
    ...present({ OUTRIGGER_EVENT_BUS: cluster.eventBusArn }),
  };
  const evaluations = evaluationFunctions(make, cluster, {
    ...telling,
    ...present({ OUTRIGGER_SNAPSHOT_BUCKET: snapshots?.bucketName }),
  });
  const drains = drainQueue(scope, DRAIN_TIMEOUT, key);
  const driving = { ...variables, OUTRIGGER_DRAIN_QUEUE_URL: drains.queueUrl };
  return {
    ...wakingFunctions(make, cluster, tokenHashes, telling),
    ...evaluations,
    drain: drainFunction(scope, make, drains, {
      ...driving,
      OUTRIGGER_SCALE_DOWN_FUNCTION: evaluations.scaleDown.functionArn,
    }),
    drains,
    actuate: make('Actuate', 'actuate', {
      description: 'Carries decisions out: sets sizes, ends instances that never became nodes, has nodes drained',
      memoryMiB: 512,
      timeout: Duration.seconds(50),
      environment: driving,
      asynchronous: BY_THE_CLOCK,
    }),
    widget: cluster.dashboard ? widgetFunction(scope, props) : null,
  };
}

/**
 * Answers those who look at the dashboard: CloudWatch calls the function with the viewer's rights, and the function
 * only reads the table.
 */
const widgetFunction = (scope: Construct, { cluster, bundles, table, key }: FunctionsProps): Function =>
  standardFunction(scope, 'Widget', {
    bundle: path.join(bundles, 'widget'),
    description: 'Shows on a dashboard what was decided, and why: reads the table, and changes nothing',
    memoryMiB: 512,
    timeout: Duration.seconds(20),
    environment: {
      OUTRIGGER_CLUSTER: cluster.name,
      OUTRIGGER_TABLE: table.tableName,
      OUTRIGGER_OPTIONS: JSON.stringify(cluster.options),
    },
    tracing: cluster.tracing,
    key,
  });

/** How the cluster and its groups are reached, and how often they are evaluated, where that is not by the defaults. */
const clusterEnvironment = ({
  discovery,
  clusterApi,
  role,
  scanInterval,
  webhook,
}: ClusterSettings): Readonly<Record<string, string>> =>
  present({
    OUTRIGGER_SCAN_SECONDS: scanInterval === DEFAULT_SCAN_INTERVAL ? null : String(scanInterval / seconds(1)),
    OUTRIGGER_WEBHOOK: webhook === 'none' ? webhook : null,
    OUTRIGGER_DISCOVERY: discovery && discoveryAsJson(discovery),
    OUTRIGGER_CLUSTER_API: clusterApi && clusterApiAsJson(clusterApi),
    OUTRIGGER_ROLE: role?.arn,
    OUTRIGGER_ROLE_EXTERNAL_ID: role?.externalId,
  });

/** The functions that put wake-ups into the queue. */
const wakingFunctions = (
  make: Make,
  cluster: ClusterSettings,
  tokenHashes: string | null,
  environment: Readonly<Record<string, string>>,
): Pick<Functions, 'ingest' | 'wake'> => ({
  ingest: mapOptional(tokenHashes, (hashes) =>
    make('Ingest', 'ingest', {
      description: 'Webhook endpoint: receives FailedScheduling events from the API server',
      memoryMiB: 256,
      timeout: Duration.seconds(3),
      environment: { OUTRIGGER_TOKEN_HASHES: hashes },
      reservedConcurrency: cluster.reservedConcurrency,
    }),
  ),
  wake: make('Wake', 'wake', {
    description: 'Receives EC2 and Auto Scaling events, and triggers an evaluation of the affected cluster',
    memoryMiB: 512,
    timeout: Duration.seconds(30),
    environment,
    // An interruption is over after two minutes; the events of its end are worth as much.
    asynchronous: { retryAttempts: 2, maxEventAge: Duration.minutes(5) },
  }),
});

/**
 * Less room for young objects: a hostile user's pods take 529 MB at the peak instead of 632 (`hostile-objects` of
 * `npm run bench`), an evaluation of a large cluster 299 MB instead of 354 (`large-cluster`), in no more time.
 */
const NODE_OPTIONS = '--max-semi-space-size=16';

const evaluationFunctions = (
  make: Make,
  { size }: ClusterSettings,
  environment: Readonly<Record<string, string>>,
): Pick<Functions, 'scaleUp' | 'scaleDown'> => {
  const resources = {
    ...evaluationOf(size),
    environment: { ...environment, NODE_OPTIONS },
  };
  return {
    scaleUp: make('ScaleUp', 'scale-up', {
      description: 'Observes the cluster and decides which node groups grow',
      ...resources,
      // The function's messages to itself are limited: rechecks by MAX_RECHECKS, looks for nodes that open by
      // maxNodeProvisionTime.
      mayRecur: true,
    }),
    scaleDown: make('ScaleDown', 'scale-down', {
      description: 'Observes the cluster and decides which nodes are not needed',
      ...resources,
      asynchronous: BY_THE_CLOCK,
      // The last round of a drain invokes it, at the end of a chain of messages.
      mayRecur: true,
    }),
  };
};

/** A run that failed is not repeated, and one that waited for a minute is not made: the next scan is near. */
const BY_THE_CLOCK = { retryAttempts: 0, maxEventAge: Duration.minutes(1) };

/** A step of a drain takes 40 seconds at most. */
const DRAIN_TIMEOUT = Duration.seconds(60);

/** The function that drains nodes: each round is an invocation, which sends the message for the next one. */
function drainFunction(
  scope: Construct,
  make: Make,
  queue: Queue,
  environment: Readonly<Record<string, string>>,
): Function {
  const drain = make('Drain', 'drain', {
    description: 'Takes nodes out of the cluster: taints, evicts, waits, ends the instance',
    memoryMiB: 512,
    timeout: DRAIN_TIMEOUT,
    environment,
    // For as long as a drain takes.
    mayRecur: true,
    // Earlier versions made it with a configuration of durable executions, which Lambda takes from no function.
    parent: new Construct(scope, 'Drain'),
  });
  drain.addEventSource(new SqsEventSource(queue, { batchSize: 1 }));
  return drain;
}
