import { randomUUID } from 'node:crypto';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { Heartbeat } from '@outrigger/core/ports/heartbeat.ts';
import { call } from './call.ts';
import { heartbeatKey } from './keys.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';

/** Signs of life of a process in the table of its cluster: one item, which evaluations do not load. */
export function createDynamoDbHeartbeat(options: {
  readonly client: DynamoDBClient;
  readonly table: string;
}): Heartbeat {
  const { table } = options;
  const client = DynamoDBDocumentClient.from(options.client);
  return {
    last: async (cluster, signal) => {
      const what = `read the heartbeat of cluster ${cluster}`;
      const get = new GetCommand({ TableName: table, Key: heartbeatKey(cluster), ConsistentRead: true });
      const { Item } = await call({ what, table, signal }, async (http) => await client.send(get, http));
      return mapOptional(Item, ({ beat }) => String(beat)) ?? null;
    },
    beat: async (cluster, signal) => {
      const what = `write the heartbeat of cluster ${cluster}`;
      const put = new PutCommand({ TableName: table, Item: { ...heartbeatKey(cluster), beat: randomUUID() } });
      await call({ what, table, signal }, async (http) => await client.send(put, http));
    },
  };
}
