import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Decision } from '../../core/model/decision.ts';
import type { ClusterName } from '../../core/model/values/names.ts';
import type { Access, Item } from './access.ts';
import { call } from './call.ts';
import { readDecisionItem } from './decision-item.ts';
import { DECISION_PREFIX, partitionOf } from './keys.ts';

/** How far `lastDecision` goes back to find one that it can read. */
const MAX_UNREADABLE = 10;

/** The latest decision that can be read; `null` before the first. */
export async function lastDecision(
  { client, table, onQuarantine }: Access,
  cluster: ClusterName,
  signal?: AbortSignal,
): Promise<Decision | null> {
  let from: Item | undefined;
  for (let tries = 0; tries < MAX_UNREADABLE; tries++) {
    const { Items, LastEvaluatedKey } = await call(
      `read the last decision of cluster ${cluster}`,
      table,
      signal,
      () => false,
      async (http) =>
        await client.send(
          new QueryCommand({
            TableName: table,
            ConsistentRead: true,
            KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
            ExpressionAttributeValues: { ':pk': partitionOf(cluster), ':prefix': DECISION_PREFIX },
            ScanIndexForward: false,
            Limit: 1,
            ...(from === undefined ? {} : { ExclusiveStartKey: from }),
          }),
          http,
        ),
    );
    const item = Items?.[0];
    if (item === undefined) {
      return null;
    }
    const read = await readDecisionItem(item);
    if (read.ok) {
      return read.value;
    }
    onQuarantine({ cluster, place: String(item['sk']), reason: read.error });
    if (LastEvaluatedKey === undefined) {
      return null;
    }
    from = LastEvaluatedKey;
  }
  return null;
}
