import { present } from '@outrigger/core/model/values/present.ts';
import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import type { Decision, Evaluation } from '@outrigger/core/model/decision.ts';
import type { ClusterName } from '@outrigger/core/model/values/names.ts';
import type { Access } from './access.ts';
import { call } from './call.ts';
import { readDecisionItem } from './decision-item.ts';
import { partitionOf } from '@outrigger/core/model/table-keys.ts';
import { DECISION_PREFIX } from './keys.ts';

/** How many unreadable ones `lastDecision` goes back over. */
const MAX_UNREADABLE = 10;
/** How many decisions of the other part it goes back over: those of the last hours. */
const MAX_PAGES = 100;
const PAGE = 10;

/**
 * The latest decision that can be read; `null` before the first.
 *
 * @param of the latest that says something about this part of an evaluation. Items of older versions are of the whole.
 */
export async function lastDecision(
  access: Access,
  cluster: ClusterName,
  signal?: AbortSignal,
  of?: Evaluation,
): Promise<Decision | null> {
  const { client, table } = access;
  const query = {
    TableName: table,
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    FilterExpression: of && 'attribute_not_exists(evaluation) OR evaluation = :of',
    ExpressionAttributeValues: { ':pk': partitionOf(cluster), ':prefix': DECISION_PREFIX, ...present({ ':of': of }) },
    ScanIndexForward: false,
  };
  const what = `read the last decision of cluster ${cluster}`;
  return await call({ what, table, signal }, async (http) => {
    const config = { client, pageSize: of === undefined ? 1 : PAGE };
    let unreadable = 0;
    let pages = 0;
    for await (const { Items = [] } of paginateQuery(config, query, http)) {
      for (const item of Items) {
        const read = await readDecisionItem(item);
        if (read.ok) {
          return read.value;
        }
        access.onQuarantine({ cluster, place: String(item['sk']), reason: read.error });
        unreadable += 1;
        if (unreadable === MAX_UNREADABLE) {
          return null;
        }
      }
      pages += 1;
      if (pages === MAX_PAGES) {
        break;
      }
    }
    return null;
  });
}
