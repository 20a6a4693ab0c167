import { randomUUID } from 'node:crypto';
import { type CancellationReason, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { PutCommand, TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { ClusterName } from '../../core/model/values/names.ts';
import type { Commit } from '../../core/ports/state-store.ts';
import type { State } from '../../core/model/state.ts';
import type { DurationMs } from '../../core/model/values/time.ts';
import type { Access, Item } from './access.ts';
import { call } from './call.ts';
import { decisionItem, expiry } from './decision-item.ts';
import { writeDocument } from './document.ts';
import { fittingSlots } from './fitting-slots.ts';
import { intentsItems } from './intents-item.ts';
import { type Key, partitionOf, unreadableKey } from './keys.ts';
import { FORMATS } from './migrations.ts';
import { rowsOf } from './rows.ts';
import type { IntentsSnapshot, SlotSnapshot, Snapshot } from './snapshot.ts';
import { stateItem } from './state-item.ts';

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];
/** One entry of a transaction, without the table's name, which all have in common. */
type Change = { readonly put: Item; readonly onlyNew: boolean } | { readonly delete: Key } | { readonly take: Taking };
interface Taking {
  readonly from: Key;
  readonly ids: readonly string[];
  readonly version: number;
}

/** Of one transaction, as DynamoDB allows them. */
const MAX_ITEMS = 100;

/**
 * Writes a commit as one transaction: the state on condition of its version, the slots that differ from those of the
 * version before, the decision, new intents, and settled ones out of their items.
 *
 * @param before what a load of `expectedVersion` has found
 * @returns what a load would find now; `null` after a conflict: another commit has been made in between
 */
export async function commitCluster(
  access: Access,
  cluster: ClusterName,
  commit: Commit,
  before: Snapshot,
  retention: DurationMs,
  signal: AbortSignal | undefined,
): Promise<Snapshot | null> {
  const { expectedVersion, now, state, decision } = commit;
  const version = expectedVersion + 1;
  const what = `commit version ${version} of cluster ${cluster}`;
  if (before.newer.length > 0) {
    throw new Error(
      `DynamoDB table ${access.table}: ${what}: nothing is written, for ${before.newer.join('; ')}. ` +
        'Deploy that version again, or a later one',
    );
  }
  // Random, and not made of the version: two evaluations may decide just the same, and only one of them has committed.
  const token = randomUUID();
  const newIntents = intentsItems(cluster, version, commit.intents);
  const slots = await changeSlots(access, cluster, version, state, before.slots);
  const intents = settle(cluster, version, commit.settled, before.intents);
  const after: Snapshot = {
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
    { put: await decisionItem(cluster, version, decision, now, retention), onlyNew: false },
    ...slots.changes,
    ...intents.changes,
  ];
  if (changes.length >= MAX_ITEMS) {
    throw new Error(
      `DynamoDB table ${access.table}: ${what}: ${changes.length} items and the state are more than the ${MAX_ITEMS} ` +
        'that a transaction takes; settle only intents that were loaded',
    );
  }
  // Copies of what is replaced are history: they may be written though the commit then is not.
  for (const item of before.unreadable) {
    await setAside(access, cluster, item, expectedVersion, expiry(now, retention), signal);
  }
  const put = await stateItem(cluster, { version, token, state, items, now });
  const TransactItems: TransactItem[] = [
    { Put: { TableName: access.table, Item: put, ...ifStateIs(before) } },
    ...changes.map((change) => transactItem(change, access.table)),
  ];
  const added = newIntents.map(({ sk }) => sk);
  return (await write(access, what, token, TransactItems, added, signal)) ? after : null;
}

/**
 * Writes the transaction: the state first, then the items of new intents, then the others.
 *
 * @param added sort keys of the items of new intents
 * @returns whether the state was still the one that was loaded
 */
async function write(
  { client, table }: Access,
  what: string,
  token: string,
  TransactItems: TransactItem[],
  added: readonly string[],
  signal: AbortSignal | undefined,
): Promise<boolean> {
  try {
    await call(
      what,
      table,
      signal,
      (error) => error instanceof TransactionCanceledException,
      async (http) => await client.send(new TransactWriteCommand({ TransactItems, ClientRequestToken: token }), http),
    );
    return true;
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) {
      throw error;
    }
    const [ofState, ...ofOthers] = (error.CancellationReasons ?? []).map(conditionFailed);
    if (ofState === undefined || ofState === null) {
      const existing = added.find((_, index) => ofOthers[index] != null);
      const why = existing === undefined ? error.message : `${existing} holds intents already`;
      throw new Error(`DynamoDB table ${table}: ${what}: ${why}`, { cause: error });
    }
    // A request whose answer was lost and that was sent again finds the condition broken by itself.
    return ofState.token === token;
  }
}

/** What stood in the way where a condition failed; `null` where it held. Items in errors are not unmarshalled. */
const conditionFailed = ({ Code, Item }: CancellationReason): { readonly token: string | null } | null =>
  Code === 'ConditionalCheckFailed' ? { token: Item?.['token']?.S ?? null } : null;

/**
 * The very state that was loaded. The token tells it from one of the same version that was written after somebody had
 * put an older state back. A state without a number as its version counts as version 0, which is what a load makes of it.
 */
function ifStateIs({ version, token }: Snapshot) {
  const ReturnValuesOnConditionCheckFailure = 'ALL_OLD' as const;
  const names = { '#version': 'version' };
  const values = { ':version': version, ':number': 'N' };
  if (version === 0) {
    return {
      ConditionExpression:
        'attribute_not_exists(#version) OR NOT attribute_type(#version, :number) OR #version = :version',
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: values,
      ReturnValuesOnConditionCheckFailure,
    };
  }
  const ofVersion = 'attribute_type(#version, :number) AND #version = :version';
  return token === null
    ? {
        ConditionExpression: ofVersion,
        ExpressionAttributeNames: names,
        ExpressionAttributeValues: values,
        ReturnValuesOnConditionCheckFailure,
      }
    : {
        ConditionExpression: `${ofVersion} AND #token = :token`,
        ExpressionAttributeNames: { ...names, '#token': 'token' },
        ExpressionAttributeValues: { ...values, ':token': token },
        ReturnValuesOnConditionCheckFailure,
      };
}

/** The slots that differ are written, those that are empty now go. What does not fit is left out, and told. */
async function changeSlots(
  { onOmitted }: Pick<Access, 'onOmitted'>,
  cluster: ClusterName,
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
    after.set(sk, { version, text: texts.get(sk)! });
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

/** Takes settled intents out of their items, and items out of the table that are empty then. */
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

/** Keeps an item under another key, until it expires. */
async function setAside(
  { client, table }: Access,
  cluster: ClusterName,
  item: Item,
  version: number,
  ttl: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const sk = String(item['sk']);
  await call(
    `keep the unreadable ${sk} of cluster ${cluster}`,
    table,
    signal,
    () => false,
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
