import {
  LambdaClient,
  paginateListDurableExecutionsByFunction,
  PutFunctionConcurrencyCommand,
  StopDurableExecutionCommand,
} from '@aws-sdk/client-lambda';
import { unfinished } from '../../../core/drain/abandoned-markers.ts';
import type { StoredDrain } from '../../../core/model/drain.ts';
import { clusterName } from '../../../core/model/values/names.ts';
import type { DrainStore } from '../../../core/ports/drain-store.ts';
import { createDynamoDbClient } from '../../../providers/dynamodb/client.ts';
import { createDynamoDbDrains } from '../../../providers/dynamodb/drains.ts';
import { done, type Taken, unchanged, would } from '../../install/journal.ts';
import type { Place } from '../../install/place.ts';

/** Between two looks at the drains. */
const PAUSE_MS = 10_000;

/** The drains of a cluster, in its table; ends with the use of it. */
export async function withDrains<T>(
  { region, access: { endpoint } }: Place,
  table: string,
  work: (drains: Pick<DrainStore, 'list'>) => Promise<T>,
): Promise<T> {
  const client = createDynamoDbClient({ region, ...(endpoint === undefined ? {} : { endpoint }) });
  try {
    // What cannot be read has no driver that gets on with it, either.
    return await work(createDynamoDbDrains({ client, table, onUnreadable: () => {} }));
  } finally {
    client.destroy();
  }
}

/**
 * Waits for drains to end, for as long as given. Those that are left then are stopped where they are: evicted pods are
 * elsewhere by now, and the nodes stay.
 *
 * @param limitMs 0: they are stopped at once
 */
export async function endDrains(
  place: Place,
  table: string,
  drainFunction: string | null,
  limitMs: number,
  dryRun: boolean,
): Promise<Taken<readonly StoredDrain[]>> {
  return await withDrains(place, table, async (drains) => {
    const cluster = clusterName(place.config.name);
    let stored = await drains.list(cluster);
    const begun = unfinished(stored).length;
    if (dryRun) {
      return would(`Would wait for ${drainsIn(begun)}.`, stored);
    }
    for (let waited = 0; waited < limitMs && unfinished(stored).length > 0; waited += PAUSE_MS) {
      await place.access.pause(PAUSE_MS);
      stored = await drains.list(cluster);
    }
    const left = unfinished(stored).length;
    // Those of drains that have ended, too: CloudFormation waits for an hour for executions that go on.
    const stopped =
      drainFunction === null
        ? 0
        : place.config.drains === 'durable'
          ? await stopExecutions(place, drainFunction)
          : await stopMessages(place, drainFunction, left);
    return begun === 0 && stopped === 0
      ? unchanged('No node is being drained.', stored)
      : done(`Drains that have ended: ${begun - left}; that were stopped: ${left}.`, stored);
  });
}

const drainsIn = (count: number): string => `${count} ${count === 1 ? 'drain' : 'drains'}`;

/** An invocation of the function that drains takes no longer. */
const INVOCATION_MS = 60_000;

/** Of drains that messages drive: has none of them delivered any more, until the stack is deleted or deployed again. */
async function stopMessages(place: Place, functionName: string, left: number): Promise<number> {
  if (left === 0) {
    return 0;
  }
  const client = lambdaClient(place);
  try {
    await client.send(
      new PutFunctionConcurrencyCommand({ FunctionName: functionName, ReservedConcurrentExecutions: 0 }),
    );
  } finally {
    client.destroy();
  }
  await place.access.pause(INVOCATION_MS);
  return left;
}

const lambdaClient = ({ region, access: { endpoint, credentials } }: Place): LambdaClient =>
  new LambdaClient({
    region,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(credentials === undefined ? {} : { credentials }),
  });

async function stopExecutions(place: Place, functionName: string): Promise<number> {
  const client = lambdaClient(place);
  let stopped = 0;
  try {
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
  } finally {
    client.destroy();
  }
}
