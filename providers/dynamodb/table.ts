import {
  CreateTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { callFailed } from '../aws/api/call-problem.ts';

/**
 * The only table. The items of one cluster share a partition key, so that it is read with one Query and written in
 * one transaction; nothing is ever scanned. `docs/decisions/0004-state-in-dynamodb.md` has the items.
 */
export const TABLE = {
  partitionKey: 'pk',
  sortKey: 'sk',
  /** Epoch seconds; only history has it. */
  timeToLive: 'ttl',
  /** A record serves as a notification: its keys contain the cluster, and the consumer reads the items. */
  stream: 'KEYS_ONLY',
} as const;

/** Creates the table where it does not exist, like the stack in `cdk/`, and resolves when it is active. */
export async function ensureTable(client: DynamoDBClient, name: string): Promise<void> {
  try {
    await client.send(
      new CreateTableCommand({
        TableName: name,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [
          { AttributeName: TABLE.partitionKey, AttributeType: 'S' },
          { AttributeName: TABLE.sortKey, AttributeType: 'S' },
        ],
        KeySchema: [
          { AttributeName: TABLE.partitionKey, KeyType: 'HASH' },
          { AttributeName: TABLE.sortKey, KeyType: 'RANGE' },
        ],
        StreamSpecification: { StreamEnabled: true, StreamViewType: TABLE.stream },
      }),
    );
  } catch (error) {
    // The table exists, or is being created concurrently.
    if (!(error instanceof ResourceInUseException)) {
      throw callFailed(`CreateTable of DynamoDB table ${name}`, error);
    }
  }
  await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 1, maxDelay: 2 }, { TableName: name });
  if (!(await expires(client, name))) {
    try {
      await client.send(
        new UpdateTimeToLiveCommand({
          TableName: name,
          TimeToLiveSpecification: { AttributeName: TABLE.timeToLive, Enabled: true },
        }),
      );
    } catch (error) {
      // DynamoDB refuses to enable it twice: it was enabled concurrently.
      if (!(await expires(client, name))) {
        throw callFailed(`UpdateTimeToLive of DynamoDB table ${name}`, error);
      }
    }
  }
}

async function expires(client: DynamoDBClient, name: string): Promise<boolean> {
  try {
    const { TimeToLiveDescription: ttl } = await client.send(new DescribeTimeToLiveCommand({ TableName: name }));
    return ttl?.TimeToLiveStatus === 'ENABLED' || ttl?.TimeToLiveStatus === 'ENABLING';
  } catch (error) {
    throw callFailed(`DescribeTimeToLive of DynamoDB table ${name}`, error);
  }
}
