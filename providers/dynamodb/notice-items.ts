import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import type { Notice } from '@outrigger/core/model/notice.ts';
import type { ClusterName } from '@outrigger/core/model/values/names.ts';
import { distinct } from '@outrigger/core/notices/distinct.ts';
import { storedNotice } from '../schema/stored/notice.ts';
import type { Access, Item } from './access.ts';
import { call } from './call.ts';
import { noticeKey } from './keys.ts';
import { findings, type Problem } from './quarantine.ts';

/** After its announced end an instance may take some more minutes to go. */
const AFTER_END_SECONDS = 15 * 60;
/** The longest that Auto Scaling waits for a lifecycle hook. */
const WITHOUT_END_SECONDS = 48 * 60 * 60;

/** Epoch seconds until which a notice is kept. */
function expiryOf({ receivedAt, endsAt }: Notice): number {
  const from = Math.floor(Math.max(receivedAt, endsAt ?? 0) / 1_000);
  return from + (endsAt === null ? WITHOUT_END_SECONDS : AFTER_END_SECONDS);
}

const isKnown = (error: unknown): boolean => error instanceof ConditionalCheckFailedException;

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
  const Item = { ...noticeKey(cluster, notice), notice, ttl: expiryOf(notice) };
  try {
    const { Attributes } = await call(
      { what: `add a notice of instance ${notice.instance} of cluster ${cluster}`, table, signal, expected: isKnown },
      async (http) =>
        await client.send(
          new PutCommand({
            TableName: table,
            Item,
            ConditionExpression: 'attribute_not_exists(pk) OR #notice.#receivedAt > :receivedAt',
            ExpressionAttributeNames: { '#notice': 'notice', '#receivedAt': 'receivedAt' },
            ExpressionAttributeValues: { ':receivedAt': notice.receivedAt },
            ReturnValues: 'ALL_OLD',
          }),
          http,
        ),
    );
    return Attributes === undefined;
  } catch (error) {
    if (!isKnown(error)) {
      throw error;
    }
    return false;
  }
}

export interface ReadNotices {
  /** By instance; an instance may have several. */
  readonly notices: readonly Notice[];
  readonly unreadable: readonly { readonly sk: string; readonly problems: readonly Problem[] }[];
}

/**
 * Reads the items of notices.
 *
 * @param now DynamoDB deletes expired items within days, not at once
 */
export function readNotices(items: readonly Item[], now: number): ReadNotices {
  const notices: Notice[] = [];
  const unreadable: { readonly sk: string; readonly problems: readonly Problem[] }[] = [];
  for (const item of items.filter(({ ttl }) => typeof ttl !== 'number' || ttl * 1_000 > now)) {
    const { data, error } = storedNotice.safeParse(item['notice']);
    if (error === undefined) {
      notices.push(data);
    } else {
      unreadable.push({ sk: String(item['sk']), problems: [{ place: 'notice', reason: findings(error) }] });
    }
  }
  return { notices: distinct(notices), unreadable };
}
