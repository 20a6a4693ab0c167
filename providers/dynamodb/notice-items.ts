import { PutCommand } from '@aws-sdk/lib-dynamodb';
import type { Notice } from '@outrigger/core/model/notice.ts';
import type { ClusterName } from '@outrigger/core/model/values/names.ts';
import { distinct } from '@outrigger/core/notices/distinct.ts';
import { storedNotice } from '../schema/stored/notice.ts';
import type { Access, Item } from './access.ts';
import { callOnCondition } from './call.ts';
import { noticeKey } from './keys.ts';
import type { UnreadableItem } from './quarantine.ts';
import { readAttribute } from './stored-item.ts';

/** After its announced end an instance may take some more minutes to go. */
const AFTER_END_SECONDS = 15 * 60;
/** The longest that Auto Scaling waits for a lifecycle hook. */
const WITHOUT_END_SECONDS = 48 * 60 * 60;

/** Epoch seconds until which a notice is kept. */
function expiryOf({ receivedAt, endsAt }: Notice): number {
  const from = Math.floor(Math.max(receivedAt, endsAt ?? 0) / 1_000);
  return from + (endsAt === null ? WITHOUT_END_SECONDS : AFTER_END_SECONDS);
}

/**
 * Writes a notice, unless the same one is there from an earlier time.
 *
 * @returns whether the same one was not there
 */
export async function addNotice(
  { client, table }: Access,
  cluster: ClusterName,
  notice: Notice,
  signal?: AbortSignal,
): Promise<boolean> {
  const put = new PutCommand({
    TableName: table,
    Item: { ...noticeKey(cluster, notice), notice, ttl: expiryOf(notice) },
    ConditionExpression: 'attribute_not_exists(pk) OR #notice.#receivedAt > :receivedAt',
    ExpressionAttributeNames: { '#notice': 'notice', '#receivedAt': 'receivedAt' },
    ExpressionAttributeValues: { ':receivedAt': notice.receivedAt },
    ReturnValues: 'ALL_OLD',
  });
  const what = `add a notice of instance ${notice.instance} of cluster ${cluster}`;
  const answer = await callOnCondition({ what, table, signal }, async (http) => await client.send(put, http));
  return answer !== null && answer.Attributes === undefined;
}

interface ReadNotices {
  /** By instance; an instance may have several. */
  readonly notices: readonly Notice[];
  readonly unreadable: readonly UnreadableItem[];
}

/**
 * Reads the items of notices.
 *
 * @param now DynamoDB deletes expired items within days, not at once
 */
export function readNotices(items: readonly Item[], now: number): ReadNotices {
  const kept = items.filter(({ ttl }) => typeof ttl !== 'number' || ttl * 1_000 > now);
  const { values, unreadable } = readAttribute(kept, 'notice', storedNotice);
  return { notices: distinct(values), unreadable };
}
