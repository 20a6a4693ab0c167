import { paginateQuery, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { partitionOf } from '@outrigger/core/model/table-keys.ts';
import type { Item, PartitionAccess } from './access.ts';
import { call } from './call.ts';

type QueryAccess = Pick<PartitionAccess, 'client' | 'table' | 'cluster' | 'signal'>;

/** All items that a consistent Query finds. @param what the operation, for errors */
export const queryItems = async (
  { client, table, signal }: Omit<QueryAccess, 'cluster'>,
  what: string,
  input: Omit<QueryCommandInput, 'TableName'>,
): Promise<readonly Item[]> =>
  await call({ what, table, signal }, async (http) => {
    const items: Item[] = [];
    for await (const page of paginateQuery({ client }, { TableName: table, ConsistentRead: true, ...input }, http)) {
      items.push(...(page.Items ?? []));
    }
    return items;
  });

/** All items of a cluster whose sort keys begin with a prefix. @param what the operation, for errors */
export const itemsWithPrefix = (access: QueryAccess, what: string, prefix: string): Promise<readonly Item[]> =>
  queryItems(access, what, {
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':pk': partitionOf(access.cluster), ':prefix': prefix },
  });
