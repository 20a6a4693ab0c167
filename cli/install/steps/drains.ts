import { counted } from '@outrigger/core/model/values/counted.ts';
import { present } from '@outrigger/core/model/values/present.ts';
import {
  DeleteFunctionConcurrencyCommand,
  LambdaClient,
  paginateListDurableExecutionsByFunction,
  PutFunctionConcurrencyCommand,
  StopDurableExecutionCommand,
} from '@aws-sdk/client-lambda';
import { unfinished } from '@outrigger/core/drain/stray-markers.ts';
import type { StoredDrain } from '@outrigger/core/model/drain.ts';
import { clusterName } from '@outrigger/core/model/values/names.ts';
import type { DrainStore } from '@outrigger/core/ports/drain-store.ts';
import { createDynamoDbClient } from '@outrigger/providers/dynamodb/client.ts';
import { createDynamoDbDrains } from '@outrigger/providers/dynamodb/drains.ts';
import { stepDone, skipped, type Taken, unchanged, would } from '../journal.ts';
import type { InstallPlace } from '../place.ts';
import { resourceOf, type StackResource } from '../stack/deployed.ts';

/** Between two looks at the drains. */
const PAUSE_MS = 10_000;

/** The drains of a cluster, in its table; ends with the use of it. */
async function withDrains<T>(
  { region, access: { endpoint } }: InstallPlace,
  table: string,
  work: (drains: Pick<DrainStore, 'list'>) => Promise<T>,
): Promise<T> {
  const client = createDynamoDbClient({ region, ...present({ endpoint }) });
  try {
    // A drain that cannot be read has no driver that gets on with it, either.
    return await work(createDynamoDbDrains({ client, table, onUnreadable: () => {} }));
  } finally {
    client.destroy();
  }
}

/** The table of the stack's state; `null`: it has none. */
export const tableOf = (resources: readonly StackResource[]): string | null =>
  resourceOf(resources, 'AWS::DynamoDB::GlobalTable', 'Table');

interface DrainWait {
  /** 0: drains are stopped at once. */
  readonly limitMs: number;
  readonly dryRun: boolean;
}

/**
 * Waits for drains to end, for at most `limitMs`. Drains that are left after that are stopped: evicted pods are
 * elsewhere by now, and the nodes stay.
 *
 * @param table the table of the cluster's state; `null`: there is none
 * @param resources resources of the stack, which may have no function any more that drains
 */
export async function endDrains(
  place: InstallPlace,
  table: string | null,
  resources: readonly StackResource[],
  { limitMs, dryRun }: DrainWait,
): Promise<Taken<readonly StoredDrain[] | null>> {
  if (table === null) {
    return skipped('There is no table of the state, and nothing is known of drains.', null);
  }
  const drainFunction = drainFunctionOf(resources);
  return await withDrains(place, table, async (drains) => {
    const cluster = clusterName(place.config.name);
    let stored = await drains.list(cluster);
    const begun = unfinished(stored).length;
    if (dryRun) {
      return would(`Would wait for ${counted(begun, 'drain')}.`, stored);
    }
    for (let waited = 0; waited < limitMs && unfinished(stored).length > 0; waited += PAUSE_MS) {
      await place.access.pause(PAUSE_MS);
      stored = await drains.list(cluster);
    }
    const left = unfinished(stored).length;
    // Executions of ended drains are stopped, too: CloudFormation waits for an hour for executions that go on.
    const stopped = drainFunction === null ? 0 : await stopDrivers(place, drainFunction, left);
    return begun === 0 && stopped === 0
      ? unchanged('No node is being drained.', stored)
      : stepDone(`Drains that have ended: ${begun - left}; that were stopped: ${left}.`, stored);
  });
}

/** An invocation of the function that drains takes no longer. */
const INVOCATION_MS = 60_000;

/**
 * Ends the drivers of drains. Where drains are left, no other driver begins until the stack is deleted or deployed again: their function
 * is not called any more, by a message or by the schedule that starts lost drivers again.
 *
 * @returns how many were stopped
 */
async function stopDrivers(place: InstallPlace, functionName: string, left: number): Promise<number> {
  const client = lambdaClient(place);
  try {
    if (left > 0) {
      await client.send(
        new PutFunctionConcurrencyCommand({ FunctionName: functionName, ReservedConcurrentExecutions: 0 }),
      );
    }
    if (place.config.drains === 'durable') {
      return await stopExecutions(client, functionName);
    }
  } finally {
    client.destroy();
  }
  if (left > 0) {
    await place.access.pause(INVOCATION_MS);
  }
  return left;
}

/**
 * Has the function that drains called again, which `endDrains` has stopped. CloudFormation does not see what others have reserved of a
 * function, and leaves it.
 *
 * @param resources resources of a stack that observes: a round of a drain does nothing there
 */
export async function letDrainsBegin(place: InstallPlace, resources: readonly StackResource[]): Promise<void> {
  const FunctionName = drainFunctionOf(resources);
  if (FunctionName === null) {
    return;
  }
  const client = lambdaClient(place);
  try {
    await client.send(new DeleteFunctionConcurrencyCommand({ FunctionName }));
  } finally {
    client.destroy();
  }
}

const drainFunctionOf = (resources: readonly StackResource[]): string | null =>
  resourceOf(resources, 'AWS::Lambda::Function', 'Drain');

const lambdaClient = ({ region, access: { endpoint, credentials } }: InstallPlace): LambdaClient =>
  new LambdaClient({
    region,
    ...present({ endpoint, credentials }),
  });

async function stopExecutions(client: LambdaClient, functionName: string): Promise<number> {
  let stopped = 0;
  for await (const { DurableExecutions = [] } of paginateListDurableExecutionsByFunction(
    { client },
    { FunctionName: functionName, Statuses: ['RUNNING'] },
  )) {
    for (const { DurableExecutionArn } of DurableExecutions) {
      await client.send(new StopDurableExecutionCommand({ DurableExecutionArn }));
      stopped += 1;
    }
  }
  return stopped;
}
