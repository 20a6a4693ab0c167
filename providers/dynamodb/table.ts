import {
  CreateTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';

/**
 * The one table. What is about one cluster shares a partition key, so that it is read with one Query and written in
 * one transaction; nothing is ever scanned. `docs/decisions/0004-state-in-dynamodb.md` has the items.
 */
export const TABLE = {
  partitionKey: 'pk',
  sortKey: 'sk',
  /** Epoch seconds; only history has it. */
  timeToLive: 'ttl',
  /** A record is a doorbell: its keys say which cluster, the reader looks for itself. */
  stream: 'KEYS_ONLY',
} as const;

/** Makes the table where there is none, as the stack in `cdk/` does, and resolves when it can be used. */
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
    // There already, or somebody else is making it right now.
    if (!(error instanceof ResourceInUseException)) {
      throw new Error(`Table ${name} could not be made; check the endpoint and the credentials`, { cause: error });
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
      // Enabling what is enabled is refused: somebody else was faster.
      if (!(await expires(client, name))) {
        throw error;
      }
    }
  }
}

async function expires(client: DynamoDBClient, name: string): Promise<boolean> {
  const { TimeToLiveDescription: ttl } = await client.send(new DescribeTimeToLiveCommand({ TableName: name }));
  return ttl?.TimeToLiveStatus === 'ENABLED' || ttl?.TimeToLiveStatus === 'ENABLING';
}
