import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { counted } from '@outrigger/core/model/values/counted.ts';
import { present } from '@outrigger/core/model/values/present.ts';
import { DeleteFunctionConcurrencyCommand, LambdaClient, PutFunctionConcurrencyCommand } from '@aws-sdk/client-lambda';
import { unfinished } from '@outrigger/core/drain/stray-markers.ts';
import type { StoredDrain } from '@outrigger/core/model/drain.ts';
import { clusterName } from '@outrigger/core/model/values/names.ts';
import { createDynamoDbClient } from '@outrigger/providers/dynamodb/client.ts';
import { createDynamoDbDrains } from '@outrigger/providers/dynamodb/drains.ts';
import { stepDone, skipped, type StepResult, unchanged, would } from '../journal.ts';
import type { InstallPlace } from '../place.ts';
import { resourceOf, type StackResource } from '../stack/deployed.ts';

/** Between two looks at the drains. */
const PAUSE_MS = 10_000;

/** Works with a client of AWS, which is destroyed afterwards. */
async function using<C extends { readonly destroy: () => void }, T>(
  client: C,
  work: (client: C) => Promise<T>,
): Promise<T> {
  try {
    return await work(client);
  } finally {
    client.destroy();
  }
}

/** Works with tables of the place. */
export const withTables = <T>(
  { region, access: { endpoint } }: InstallPlace,
  work: (client: DynamoDBClient) => Promise<T>,
): Promise<T> => using(createDynamoDbClient({ region, ...present({ endpoint }) }), work);

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
): Promise<StepResult<readonly StoredDrain[] | null>> {
  if (table === null) {
    return skipped('There is no table of the state, and nothing is known of drains.', null);
  }
  const drainFunction = drainFunctionOf(resources);
  return await withTables(place, async (client) => {
    // A drain that cannot be read has no driver that gets on with it, either.
    const drains = createDynamoDbDrains({ client, table, onUnreadable: () => {} });
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
    if (begun === 0) {
      return unchanged('No node is being drained.', stored);
    }
    if (left > 0 && drainFunction !== null) {
      await stopDrivers(place, drainFunction);
    }
    return stepDone(`Drains that have ended: ${begun - left}; that were stopped: ${left}.`, stored);
  });
}

/** An invocation of the function that drains takes no longer. */
const INVOCATION_MS = 60_000;

/**
 * Ends the drivers of drains. None begins another round until the stack is deleted or deployed again: their function is not called any
 * more, by a message of an earlier round or of the schedule that starts lost drivers again.
 */
async function stopDrivers(place: InstallPlace, FunctionName: string): Promise<void> {
  const stop = new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions: 0 });
  await withLambda(place, (client) => client.send(stop));
  await place.access.pause(INVOCATION_MS);
}

/**
 * Has the function that drains called again, which `endDrains` has stopped. CloudFormation does not see what others have reserved of a
 * function, and leaves it.
 *
 * @param resources resources of a stack that observes: a round of a drain does nothing there
 */
export async function letDrainsBegin(place: InstallPlace, resources: readonly StackResource[]): Promise<void> {
  const FunctionName = drainFunctionOf(resources);
  if (FunctionName !== null) {
    await withLambda(place, (client) => client.send(new DeleteFunctionConcurrencyCommand({ FunctionName })));
  }
}

const drainFunctionOf = (resources: readonly StackResource[]): string | null =>
  resourceOf(resources, 'AWS::Lambda::Function', 'Drain');

const withLambda = <T>(
  { region, access: { endpoint, credentials } }: InstallPlace,
  work: (client: LambdaClient) => Promise<T>,
): Promise<T> => using(new LambdaClient({ region, ...present({ endpoint, credentials }) }), work);
