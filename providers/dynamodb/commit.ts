import { getExisting } from '@outrigger/core/model/values/existing.ts';
import { randomUUID } from 'node:crypto';
import { type CancellationReason, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { PutCommand, TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { ClusterName } from '@outrigger/core/model/values/names.ts';
import type { Commit } from '@outrigger/core/ports/state-store.ts';
import type { State } from '@outrigger/core/model/state.ts';
import type { DurationMs } from '@outrigger/core/model/values/time.ts';
import type { Item, PartitionAccess } from './access.ts';
import { call } from './call.ts';
import { decisionItem, expiry } from './decision-item.ts';
import { writeDocument } from '../compressed/document.ts';
import { fittingSlots } from './fitting-slots.ts';
import { intentsItems } from './intents-item.ts';
import { partitionOf } from '@outrigger/core/model/table-keys.ts';
import { type Key, unreadableKey } from './keys.ts';
import { FORMATS } from './migrations.ts';
import { rowsOf } from './rows.ts';
import type { IntentsSnapshot, SlotSnapshot, ItemSet } from './snapshot.ts';
import { stateItem } from './state-item.ts';

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];
/** An entry of a transaction, without the table's name, which is the same for all. */
type Change =
  | { readonly put: Item; readonly onlyNew: boolean }
  | { readonly delete: Key }
  | { readonly take: RemovedIds };
interface RemovedIds {
  readonly from: Key;
  readonly ids: readonly string[];
  readonly version: number;
}

/** DynamoDB's limit of items in one transaction. */
const MAX_ITEMS = 100;

/**
 * Writes a commit as one transaction: the state on condition of its version, the slots that differ from those of the
 * version before, the decision, new intents, and the removal of settled ones from their items.
 *
 * @param before the snapshot that a load of `expectedVersion` has found
 * @returns the snapshot that a load would find now; `null` after a conflict with another commit
 */
export async function commitCluster(
  access: PartitionAccess,
  commit: Commit,
  before: ItemSet,
  retention: DurationMs,
): Promise<ItemSet | null> {
  const { cluster } = access;
  const { expectedVersion, now, state } = commit;
  const version = expectedVersion + 1;
  const what = `commit version ${version} of cluster ${cluster}`;
  if (before.newer.length > 0) {
    throw new Error(
      `DynamoDB table ${access.table}: ${what}: nothing is written, because ${before.newer.join('; ')}. ` +
        'Deploy that version again, or a later one',
    );
  }
  // Random and not derived from the version: two evaluations may make the same decision, and only one of them commits.
  const token = randomUUID();
  const newIntents = intentsItems(cluster, version, commit.intents);
  const slots = await changeSlots(access, version, state, before.slots);
  const intents = settle(cluster, version, commit.settled, before.intents);
  const after: ItemSet = {
    version,
    token,
    slots: slots.after,
    intents: new Map([
      ...intents.after,
      ...newIntents.map(({ sk, intents: held }) => [sk, { version, ids: Object.keys(held) }] as const),
    ]),
    unreadable: [],
    newer: [],
  };
  const items = Object.fromEntries([...after.slots, ...after.intents].map(([sk, of]) => [sk, of.version]));
  const changes: readonly Change[] = [
    ...newIntents.map((item) => ({ put: item, onlyNew: true })),
    { put: await decisionItem(cluster, commit, retention), onlyNew: false },
    ...slots.changes,
    ...intents.changes,
  ];
  if (changes.length >= MAX_ITEMS) {
    throw new Error(
      `DynamoDB table ${access.table}: ${what}: ${changes.length} items and the state are more than the ${MAX_ITEMS} ` +
        'that a transaction allows; settle only intents that were loaded',
    );
  }
  // Copies of replaced items are history: it does no harm if they are written and the commit then fails.
  for (const item of before.unreadable) {
    await setAside(access, item, expectedVersion, expiry(now, retention));
  }
  const put = await stateItem(cluster, { version, token, state, items, now });
  const TransactItems: TransactItem[] = [
    { Put: { TableName: access.table, Item: put, ...ifStateIs(before) } },
    ...changes.map((change) => transactItem(change, access.table)),
  ];
  const added = newIntents.map(({ sk }) => sk);
  return (await write(access, what, { TransactItems, ClientRequestToken: token }, added)) ? after : null;
}

/**
 * Writes the transaction: the state first, then the items of new intents, then the remaining items.
 *
 * @param added sort keys of the items of new intents
 * @returns whether the state was still the loaded one
 */
async function write(
  { client, table, signal }: PartitionAccess,
  what: string,
  transaction: TransactWriteCommandInput,
  added: readonly string[],
): Promise<boolean> {
  try {
    await call(
      { what, table, signal, expected: (error) => error instanceof TransactionCanceledException },
      async (http) => await client.send(new TransactWriteCommand(transaction), http),
    );
    return true;
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) {
      throw error;
    }
    const [ofState, ...ofOthers] = (error.CancellationReasons ?? []).map(conditionFailed);
    if (ofState === undefined || ofState === null) {
      const existing = added.find((_, index) => ofOthers[index] != null);
      const why = existing === undefined ? error.message : `${existing} already contains intents`;
      throw new Error(`DynamoDB table ${table}: ${what}: ${why}`, { cause: error });
    }
    // A repeated request whose first response was lost finds the condition broken by its own write.
    return ofState.token === transaction.ClientRequestToken;
  }
}

/** The conflicting item where a condition failed; `null` where it held. Items in errors are not unmarshalled. */
const conditionFailed = ({ Code, Item }: CancellationReason): { readonly token: string | null } | null =>
  Code === 'ConditionalCheckFailed' ? { token: Item?.['token']?.S ?? null } : null;

/**
 * The condition for the state that was loaded. The token distinguishes it from a state of the same version that was
 * written after an older state had been restored. A state whose version is not a number counts as version 0, as in a
 * load.
 */
function ifStateIs({ version, token }: ItemSet) {
  const condition = (ConditionExpression: string, names?: object, values?: object) => ({
    ConditionExpression,
    ExpressionAttributeNames: { '#version': 'version', ...names },
    ExpressionAttributeValues: { ':version': version, ':number': 'N', ...values },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  });
  if (version === 0) {
    return condition('attribute_not_exists(#version) OR NOT attribute_type(#version, :number) OR #version = :version');
  }
  const ofVersion = 'attribute_type(#version, :number) AND #version = :version';
  if (token === null) {
    return condition(ofVersion);
  }
  return condition(`${ofVersion} AND #token = :token`, { '#token': 'token' }, { ':token': token });
}

/** Writes the slots that differ and deletes empty slots. Parts that do not fit are left out and reported. */
async function changeSlots(
  { onOmitted, cluster }: PartitionAccess,
  version: number,
  state: State,
  before: ReadonlyMap<string, SlotSnapshot>,
): Promise<{ readonly changes: readonly Change[]; readonly after: ReadonlyMap<string, SlotSnapshot> }> {
  const { texts, documents, omitted } = await fittingSlots(rowsOf(state));
  if (omitted.length > 0) {
    onOmitted?.({ cluster, omitted });
  }
  const differing = [...texts].filter(([sk, text]) => before.get(sk)?.text !== text);
  const written = await Promise.all(
    differing.map(async ([sk, text]) => ({ sk, document: documents.get(sk) ?? (await writeDocument(text)) })),
  );
  const pk = partitionOf(cluster);
  const after = new Map([...texts].map(([sk, text]) => [sk, { version: before.get(sk)?.version ?? version, text }]));
  for (const { sk } of written) {
    after.set(sk, { version, text: getExisting(texts, sk) });
  }
  return {
    changes: [
      ...written.map(({ sk, document }) => ({
        put: { pk, sk, schema: FORMATS.slot, version, document },
        onlyNew: false,
      })),
      ...[...before.keys()].filter((sk) => !texts.has(sk)).map((sk) => ({ delete: { pk, sk } })),
    ],
    after,
  };
}

/** Removes settled intents from their items, and deletes items that are empty then. */
function settle(
  cluster: ClusterName,
  version: number,
  settled: readonly string[],
  before: ReadonlyMap<string, IntentsSnapshot>,
): { readonly changes: readonly Change[]; readonly after: ReadonlyMap<string, IntentsSnapshot> } {
  const gone = new Set(settled);
  const changes: Change[] = [];
  const after = new Map(before);
  for (const [sk, { ids }] of before) {
    const here = ids.filter((id) => gone.has(id));
    const from: Key = { pk: partitionOf(cluster), sk };
    if (here.length > 0 && here.length === ids.length) {
      changes.push({ delete: from });
      after.delete(sk);
    } else if (here.length > 0) {
      changes.push({ take: { from, ids: here, version } });
      after.set(sk, { version, ids: ids.filter((id) => !gone.has(id)) });
    }
  }
  return { changes, after };
}

/** Copies an item to another key, where it expires. */
async function setAside(
  { client, table, cluster, signal }: PartitionAccess,
  item: Item,
  version: number,
  ttl: number,
): Promise<void> {
  const sk = String(item['sk']);
  await call(
    { what: `keep the unreadable ${sk} of cluster ${cluster}`, table, signal },
    async (http) =>
      await client.send(
        new PutCommand({ TableName: table, Item: { ...item, ...unreadableKey(cluster, sk, version), ttl } }),
        http,
      ),
  );
}

function transactItem(change: Change, TableName: string): TransactItem {
  if ('put' in change) {
    const condition = change.onlyNew ? { ConditionExpression: 'attribute_not_exists(pk)' } : {};
    return { Put: { TableName, Item: { ...change.put }, ...condition } };
  }
  if ('delete' in change) {
    return { Delete: { TableName, Key: change.delete } };
  }
  const { from, ids, version } = change.take;
  return {
    Update: {
      TableName,
      Key: from,
      UpdateExpression: `SET #version = :version REMOVE ${ids.map((_, index) => `intents.#${index}`).join(', ')}`,
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeNames: {
        '#version': 'version',
        ...Object.fromEntries(ids.map((id, index) => [`#${index}`, id])),
      },
      ExpressionAttributeValues: { ':version': version },
    },
  };
}
