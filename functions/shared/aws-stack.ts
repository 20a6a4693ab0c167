import { type ClusterName, clusterName } from '@outrigger/core/model/values/names.ts';
import { seconds } from '@outrigger/core/model/values/time.ts';
import { createEventBus } from '@outrigger/providers/aws/event-bus.ts';
import { type Observability, observe } from '@outrigger/providers/aws/lambda/handler.ts';
import {
  readStackEnvironment,
  type StackEnvironment,
  type StartedFunction,
} from '@outrigger/providers/aws/lambda/stack-environment.ts';
import { createSqsQueue } from '@outrigger/providers/aws/wake-ups/queue.ts';
import type { PersistenceOptions } from '@outrigger/providers/dynamodb/state-persistence.ts';
import { systemClock } from './clock.ts';
import type { Services } from './services.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';

/** The services of a function without its table, the cluster and the functions that it starts. */
type StackServices = Pick<
  Services,
  'now' | 'sleep' | 'log' | 'metrics' | 'messages' | 'dryRun' | keyof ReturnType<typeof createSqsQueue>
>;

export interface AwsStack<Started extends StartedFunction = never> {
  readonly environment: StackEnvironment<Started>;
  readonly cluster: ClusterName;
  readonly services: StackServices;
  readonly table: PersistenceOptions;
  readonly lambda: Observability['handler'];
}

/**
 * Opens the stack for one of its functions. Done once per sandbox, without I/O.
 *
 * @param service the function's name
 * @param starts the functions that it starts
 * @throws Error when the environment that the stack in `cdk/` sets is incomplete
 */
export function openStack<Started extends StartedFunction = never>(
  service: string,
  ...starts: readonly Started[]
): AwsStack<Started> {
  const environment = readStackEnvironment(starts);
  const { AWS_REGION: region, OUTRIGGER_TABLE: table, OUTRIGGER_EVENT_BUS: bus } = environment;
  const cluster = clusterName(environment.OUTRIGGER_CLUSTER);
  const { log, metrics, handler: lambda } = observe(service, cluster);
  const services = {
    ...systemClock,
    ...createSqsQueue(environment.OUTRIGGER_QUEUE_URL, systemClock.now, {
      scanInterval: seconds(environment.OUTRIGGER_SCAN_SECONDS),
    }),
    messages: mapOptional(bus, (name) => createEventBus(name)) ?? undefined,
    log,
    metrics,
    dryRun: environment.OUTRIGGER_DRY_RUN === 'true',
  };
  return { environment, cluster, services, table: { region, table, log, metrics }, lambda };
}
