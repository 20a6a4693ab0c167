import { randomUUID } from 'node:crypto';
import { type CancellationReason, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { ClusterName } from '../../core/model/names.ts';
import type { Commit, CommitOutcome } from '../../core/model/ports.ts';
import type { DurationMs } from '../../core/model/time.ts';
import type { Access, Item } from './access.ts';
import { call } from './call.ts';
import { decisionItem, expiry } from './decision-item.ts';
import { intentsItems, type StoredIntents } from './intents-item.ts';
import { type Key, partitionOf, unreadableStateKey } from './keys.ts';
import { readIntents } from './load.ts';
import { stateItem } from './state-item.ts';

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];
/** One entry of a transaction, without the table's name, which all have in common. */
type Change = { readonly put: Item; readonly onlyNew: boolean } | { readonly delete: Key } | { readonly take: Taking };
interface Taking {
  readonly from: Key;
  readonly ids: readonly string[];
}

const MAX_ITEMS = 100;

/**
 * Writes a commit as one transaction: the state on condition of its version, the decision, new intents, settled ones
 * out of their items, and a state that could not be read to another key, so that the new one may take its place.
 */
export async function commitCluster(
  access: Access,
  cluster: ClusterName,
  commit: Commit,
  retention: DurationMs,
  unreadable: Item | null,
  signal: AbortSignal | undefined,
): Promise<CommitOutcome> {
  const { expectedVersion, now, state, settled, decision } = commit;
  const version = expectedVersion + 1;
  const what = `commit version ${version} of cluster ${cluster}`;
  // Random, and not made of the version: two evaluations may decide just the same, and only one of them has committed.
  const token = randomUUID();
  const added = intentsItems(cluster, commit.intents);
  const wrote = added.map(({ sk }) => sk);
  const put = await stateItem(cluster, { version, state, wrote, settled, token, now });
  const changes: readonly Change[] = [
    ...added.map((item) => ({ put: item, onlyNew: true })),
    { put: await decisionItem(cluster, version, decision, now, retention), onlyNew: false },
    ...(settled.length === 0 ? [] : settle(cluster, settled, await readIntents(access, cluster, signal))),
    ...(unreadable === null
      ? []
      : [
          {
            put: { ...unreadable, ...unreadableStateKey(cluster, expectedVersion), ttl: expiry(now, retention) },
            onlyNew: false,
          },
        ]),
  ];
  if (changes.length >= MAX_ITEMS) {
    throw new Error(
      `DynamoDB table ${access.table}: ${what}: ${changes.length} items and the state are more than the ${MAX_ITEMS} ` +
        'that a transaction takes; settle only intents that were loaded',
    );
  }
  const TransactItems: TransactItem[] = [
    { Put: { TableName: access.table, Item: put, ...ifVersionIs(expectedVersion) } },
    ...changes.map((change) => transactItem(change, access.table)),
  ];
  try {
    await call(
      what,
      access.table,
      signal,
      (error) => error instanceof TransactionCanceledException,
      async (http) =>
        await access.client.send(new TransactWriteCommand({ TransactItems, ClientRequestToken: token }), http),
    );
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) {
      throw error;
    }
    const [ofState, ...ofOthers] = (error.CancellationReasons ?? []).map(conditionFailed);
    if (ofState === undefined || ofState === null) {
      const existing = wrote.find((_, index) => ofOthers[index] != null);
      const why = existing === undefined ? error.message : `${existing} holds intents already`;
      throw new Error(`DynamoDB table ${access.table}: ${what}: ${why}`, { cause: error });
    }
    // A request whose answer was lost and that was sent again finds the condition broken by itself.
    if (ofState.token !== token) {
      return { kind: 'conflict' };
    }
  }
  return { kind: 'committed', version };
}

/** What stood in the way where a condition failed; `null` where it held. Items in errors are not unmarshalled. */
const conditionFailed = ({ Code, Item }: CancellationReason): { readonly token: string | null } | null =>
  Code === 'ConditionalCheckFailed' ? { token: Item?.['token']?.S ?? null } : null;

/** A state without a number as its version counts as version 0, which is what a load makes of it. */
const ifVersionIs = (version: number) => ({
  ConditionExpression:
    version === 0
      ? 'attribute_not_exists(#version) OR NOT attribute_type(#version, :number) OR #version = :version'
      : 'attribute_type(#version, :number) AND #version = :version',
  ExpressionAttributeNames: { '#version': 'version' },
  ExpressionAttributeValues: { ':version': version, ':number': 'N' },
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
});

/**
 * Takes settled intents out of their items, and items out of the table that are empty then. What an item holds may be
 * read before the transaction: only commits take something out, and the version lets none come in between.
 */
function settle(
  cluster: ClusterName,
  settled: readonly string[],
  batches: readonly StoredIntents[],
): readonly Change[] {
  const gone = new Set(settled);
  return batches.flatMap(({ sk, ids }): readonly Change[] => {
    const here = ids.filter((id) => gone.has(id));
    const key: Key = { pk: partitionOf(cluster), sk };
    if (here.length === 0) {
      return [];
    }
    return here.length === ids.length ? [{ delete: key }] : [{ take: { from: key, ids: here } }];
  });
}

function transactItem(change: Change, TableName: string): TransactItem {
  if ('put' in change) {
    const condition = change.onlyNew ? { ConditionExpression: 'attribute_not_exists(pk)' } : {};
    return { Put: { TableName, Item: { ...change.put }, ...condition } };
  }
  if ('delete' in change) {
    return { Delete: { TableName, Key: change.delete } };
  }
  const { from, ids } = change.take;
  return {
    Update: {
      TableName,
      Key: from,
      UpdateExpression: `REMOVE ${ids.map((_, index) => `intents.#${index}`).join(', ')}`,
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeNames: Object.fromEntries(ids.map((id, index) => [`#${index}`, id])),
    },
  };
}
