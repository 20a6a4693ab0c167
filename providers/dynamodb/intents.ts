import { present } from '@outrigger/core/model/values/present.ts';
import { randomUUID } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { byName, type ClusterName } from '@outrigger/core/model/values/names.ts';
import type { Intent, IntentEnd } from '@outrigger/core/model/intent.ts';
import type { IntentClaim } from '@outrigger/core/ports/state-store.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import type { Access, Item, PartitionAccess } from './access.ts';
import { call, callOnCondition, isConditionFailed } from './call.ts';
import { readIntentsItem } from './intents-item.ts';
import { INTENT_PREFIX } from '@outrigger/core/model/table-keys.ts';
import { intentsKey } from './keys.ts';
import { FORMATS } from './migrations.ts';
import { itemsWithPrefix } from './query.ts';

/** The pending intents, by ID. Those of a commit that is being written may be missing. */
export async function pendingIntents(
  { client, table, onQuarantine }: Access,
  cluster: ClusterName,
  signal?: AbortSignal,
): Promise<readonly Intent[]> {
  const found: Intent[] = [];
  const access = { client, table, cluster, signal };
  for (const item of await itemsWithPrefix(access, `list the pending intents of cluster ${cluster}`, INTENT_PREFIX)) {
    const { sk, intents, problems } = readIntentsItem(String(item['sk']), item);
    found.push(...intents.filter(({ status }) => status === 'pending'));
    problems.forEach(({ place, reason }) => onQuarantine({ cluster, place: `${sk} ${place}`.trimEnd(), reason }));
  }
  return found.sort((a, b) => byName(a.id, b.id));
}

/** Claims a pending intent; `null` where it is not pending or is claimed already. */
export async function claimIntent(
  { client, table, onQuarantine, cluster, signal }: PartitionAccess,
  id: string,
  { now, until }: IntentClaim,
): Promise<Intent | null> {
  const me = randomUUID();
  const what = `claim intent ${id} of cluster ${cluster}`;
  const Key = intentsKey(cluster, id);
  const claim = new UpdateCommand({ TableName: table, Key, ...claiming(id, me, now, until) });
  let item: Item | undefined;
  try {
    const answer = await call(
      { what, table, signal, expected: isConditionFailed },
      async (http) => await client.send(claim, http),
    );
    item = answer.Attributes;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) {
      throw error;
    }
    // If the response to the first attempt was lost, the second finds the intent claimed, by this same call.
    if (error.Item?.['intents']?.M?.[id]?.M?.['claimedBy']?.S !== me) {
      return null;
    }
    const again = await call(
      { what, table, signal },
      async (http) => await client.send(new GetCommand({ TableName: table, Key, ConsistentRead: true }), http),
    );
    item = again.Item;
  }
  const { intents, problems } = readIntentsItem(Key.sk, item ?? {});
  const claimed = intents.find((intent) => intent.id === id);
  const problem = problems.find(({ place }) => place === `intents.${id}`);
  if (problem !== undefined) {
    onQuarantine({ cluster, place: `${Key.sk} ${problem.place}`, reason: problem.reason });
  }
  return claimed ?? null;
}

/** @param me identifies this call: its response may be lost, and the call repeated. */
const claiming = (id: string, me: string, now: EpochMs, until: EpochMs) =>
  ({
    UpdateExpression:
      'SET intents.#id.claimedUntil = :until, intents.#id.claimedBy = :me, ' +
      'intents.#id.attempts = intents.#id.attempts + :one',
    ConditionExpression:
      '#schema = :schema AND intents.#id.#status = :pending AND ' +
      '(attribute_type(intents.#id.claimedUntil, :null) OR intents.#id.claimedUntil <= :now)',
    ExpressionAttributeNames: { '#id': id, '#status': 'status', '#schema': 'schema' },
    ExpressionAttributeValues: {
      ':until': until,
      ':me': me,
      ':one': 1,
      ':schema': FORMATS.intents,
      ':pending': 'pending',
      ':null': 'NULL',
      ':now': now,
    },
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  }) as const;

/** Releases a claimed intent, unless it has been claimed again by another function. */
export async function releaseIntent(access: PartitionAccess, id: string, claimedUntil: EpochMs): Promise<void> {
  await changePending(access, `release intent ${id} of cluster ${access.cluster}`, id, {
    UpdateExpression: 'SET intents.#id.claimedUntil = :none',
    ConditionExpression: 'intents.#id.claimedUntil = :until',
    ExpressionAttributeValues: { ':none': null, ':until': claimedUntil },
  });
}

/** Ends a pending intent; any other is left unchanged. */
export async function endIntent(
  access: PartitionAccess,
  id: string,
  { status, outcome, shownBy }: IntentEnd,
): Promise<void> {
  await changePending(access, `end intent ${id} of cluster ${access.cluster} as ${status}`, id, {
    UpdateExpression:
      'SET intents.#id.#status = :status, intents.#id.outcome = :outcome' +
      (shownBy === undefined ? '' : ', intents.#id.claimedUntil = :shown'),
    ExpressionAttributeValues: {
      ':status': status,
      ':outcome': outcome,
      ...present({ ':shown': shownBy }),
    },
  });
}

/** Changes an intent that is pending and meets the condition; any other is left unchanged. */
async function changePending(
  { client, table, cluster, signal }: PartitionAccess,
  what: string,
  id: string,
  change: {
    readonly UpdateExpression: string;
    readonly ConditionExpression?: string;
    readonly ExpressionAttributeValues: Record<string, unknown>;
  },
): Promise<void> {
  const { UpdateExpression, ConditionExpression, ExpressionAttributeValues } = change;
  const conditions = ['#schema = :schema', 'intents.#id.#status = :pending', ConditionExpression];
  const update = new UpdateCommand({
    TableName: table,
    Key: intentsKey(cluster, id),
    UpdateExpression,
    ConditionExpression: conditions.filter((one) => one !== undefined).join(' AND '),
    ExpressionAttributeNames: { '#id': id, '#status': 'status', '#schema': 'schema' },
    ExpressionAttributeValues: { ...ExpressionAttributeValues, ':schema': FORMATS.intents, ':pending': 'pending' },
  });
  // Nothing is to be done where the intent has ended, has been settled and deleted, or is claimed by another function.
  await callOnCondition({ what, table, signal }, async (http) => await client.send(update, http));
}
