import {
  DeleteTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  ListTagsOfResourceCommand,
  paginateListTables,
  ResourceNotFoundException,
  UpdateTableCommand,
  waitUntilTableNotExists,
} from '@aws-sdk/client-dynamodb';
import { stepDone, skipped, StepError, type StepResult, unchanged, would } from '../../install/journal.ts';
import type { InstallPlace } from '../../install/place.ts';
import { withTables } from '../../install/steps/drains.ts';

/** A table with the state of the cluster: the stack's, or one that an earlier stack has left. */
interface StateTable {
  readonly name: string;
  readonly madeAt: number;
}

/** Tables that CloudFormation has made for the stack's logical id Table: by their names, and then by their tags. */
async function stateTables(client: DynamoDBClient, stack: string): Promise<readonly StateTable[]> {
  const found: StateTable[] = [];
  const prefix = new RegExp(`^${stack}-Table[0-9A-F]{8}-`);
  for await (const { TableNames = [] } of paginateListTables({ client }, {})) {
    for (const name of TableNames.filter((one) => prefix.test(one))) {
      const { Table } = await client.send(new DescribeTableCommand({ TableName: name }));
      const arn = Table?.TableArn ?? '';
      const { Tags = [] } = await client.send(new ListTagsOfResourceCommand({ ResourceArn: arn }));
      if (Tags.some(({ Key, Value }) => Key === 'aws:cloudformation:stack-name' && Value === stack)) {
        found.push({ name, madeAt: Table?.CreationDateTime?.getTime() ?? 0 });
      }
    }
  }
  return found;
}

/** The name of the newest table; `null` without a table. */
export const newestTable = async (place: InstallPlace): Promise<string | null> =>
  await withTables(place, async (client) => {
    const tables = await stateTables(client, place.stack.name);
    return tables.toSorted((a, b) => b.madeAt - a.madeAt)[0]?.name ?? null;
  });

/** How a table is deleted by hand. */
const byHand = (name: string, region: string): readonly string[] => [
  `aws dynamodb update-table --region ${region} --table-name ${name} --no-deletion-protection-enabled`,
  `aws dynamodb delete-table --region ${region} --table-name ${name}`,
];

/**
 * Deletes the tables, which outlive the stack and are protected from deletion; or says how to.
 *
 * @param deletes whether the user wants them deleted
 * @returns lines for the user: how to delete what stays
 */
export async function settleTables(
  place: InstallPlace,
  deletes: boolean,
  dryRun: boolean,
): Promise<StepResult<readonly string[]>> {
  return await withTables(place, async (client) => {
    const tables = await stateTables(client, place.stack.name);
    const names = tables.map(({ name }) => name).join(', ');
    if (tables.length === 0) {
      return unchanged('There is no table with the state of the cluster.', []);
    }
    if (!deletes) {
      const notes = tables.flatMap(({ name }) => byHand(name, place.region));
      return skipped(`The state of the cluster stays in ${names}.`, ['To delete what stays:', ...notes]);
    }
    if (dryRun) {
      return would(`Would delete ${names}.`, []);
    }
    for (const { name } of tables) {
      await deleteTable(client, name, place.access.pause);
    }
    return stepDone(`Deleted ${names}.`, []);
  });
}

const STATUS_PAUSE_MS = 2_000;
/** A change of protection takes seconds. */
const MOST_LOOKS = 60;

async function deleteTable(client: DynamoDBClient, name: string, pause: (ms: number) => Promise<void>): Promise<void> {
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: name }));
    if (Table?.DeletionProtectionEnabled === true) {
      await client.send(new UpdateTableCommand({ TableName: name, DeletionProtectionEnabled: false }));
    }
    for (let look = 0; (await statusOf(client, name)) === 'UPDATING'; look += 1) {
      if (look === MOST_LOOKS) {
        throw new StepError(`The table ${name} is being updated for long.`);
      }
      await pause(STATUS_PAUSE_MS);
    }
    await client.send(new DeleteTableCommand({ TableName: name }));
    await waitUntilTableNotExists({ client, maxWaitTime: 300, minDelay: 1 }, { TableName: name });
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) {
      throw error;
    }
  }
}

const statusOf = async (client: DynamoDBClient, name: string): Promise<string | undefined> =>
  (await client.send(new DescribeTableCommand({ TableName: name }))).Table?.TableStatus;
