import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import {
  DynamoDBDocumentClient,
  GetCommand,
  paginateQuery,
  QueryCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { byName, type ClusterName } from '../../core/model/names.ts';
import type { Commit, CommitOutcome, Intent, PersistedCluster, StateStore } from '../../core/model/ports.ts';
import { type DurationMs, type EpochMs, minutes } from '../../core/model/time.ts';
import { call } from './call.ts';
import { decisionItem, expiry, readDecisionItem } from './decision-item.ts';
import { intentsItems, readIntentsItem, type StoredIntents } from './intents-item.ts';
import { DECISION_PREFIX, FIRST_LOADED, intentsKey, LAST_LOADED, partitionOf, unreadableStateKey } from './keys.ts';
import type { OnQuarantine } from './quarantine.ts';
import { SCHEMA_VERSION } from './schema/scalars.ts';
import { NO_STATE, readStateItem, stateItem, type StoredState } from './state-item.ts';

export interface DynamoDbStoreOptions {
  readonly client: DynamoDBClient;
  /** Name of the table; `table.ts` has its shape. */
  readonly table: string;
  /** Told of every item that could not be read, each time that it is met. */
  readonly onQuarantine: OnQuarantine;
  /** How long decisions are kept. Default: 7 days. */
  readonly retention?: DurationMs;
}

type Item = Readonly<Record<string, unknown>>;
type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

const ONE_WEEK = minutes(7 * 24 * 60);
/**
 * A transaction takes 100 items: three are state, decision and a state set aside, up to 16 are new intents, and each
 * further one may be settled. No more than that many items with ended intents are loaded at a time.
 */
const MAX_SETTLED_ITEMS = 80;
const MAX_TRANSACTION_ITEMS = 100;
/** How often a load looks again when it has seen half a transaction, which lasts milliseconds. */
const LOOKS = 6;
/** How far `lastDecision` goes back to find one that it can read. */
const MAX_UNREADABLE_DECISIONS = 10;

/**
 * The store on AWS. One partition holds one cluster: its state, its intents, its decisions. A commit is one
 * transaction on condition that the version is the one that was loaded, so of several evaluations that race for a
 * cluster one commits and the others see a conflict; nobody holds a lock. Calls reject when DynamoDB cannot be reached
 * or refuses, with what was tried; an item that makes no sense is reported, taken as absent, and never the end of it.
 */
export function createDynamoDbStore(options: DynamoDbStoreOptions): StateStore {
  const { table, onQuarantine, retention = ONE_WEEK } = options;
  const client = DynamoDBDocumentClient.from(options.client, {
    marshallOptions: { removeUndefinedValues: true },
    // A number beyond 2^53 that somebody wrote by hand would otherwise make the whole answer unreadable.
    unmarshallOptions: { wrapNumbers: Number },
  });
  /** Unreadable states by cluster, as last loaded: the commit that replaces one keeps it under another key. */
  const setAside = new Map<ClusterName, { readonly version: number; readonly item: Item }>();

  const query = async (what: string, cluster: ClusterName, signal: AbortSignal | undefined): Promise<readonly Item[]> =>
    await call(what, table, signal, never, async (http) => {
      const items: Item[] = [];
      const input = {
        TableName: table,
        ConsistentRead: true,
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
        ExpressionAttributeValues: { ':pk': partitionOf(cluster), ':first': FIRST_LOADED, ':last': LAST_LOADED },
      };
      for await (const page of paginateQuery({ client }, input, http)) {
        items.push(...(page.Items ?? []));
      }
      return items;
    });

  /** A Query may see half of a transaction that is just being written; the state says what else it came with. */
  const readWhole = async (cluster: ClusterName, signal: AbortSignal | undefined) => {
    for (let look = 1; ; look++) {
      const items = await query(`load cluster ${cluster}`, cluster, signal);
      const last = items.at(-1);
      const stateSeen = last?.['sk'] === LAST_LOADED ? last : null;
      const stored = stateSeen === null ? NO_STATE : await readStateItem(stateSeen);
      const batches = items
        .filter((item) => item !== stateSeen)
        .map((item) => readIntentsItem(String(item['sk']), item));
      const missing = stored.wrote.filter((sk) => !batches.some((batch) => batch.sk === sk));
      if (missing.length === 0 || look === LOOKS) {
        return { stateSeen, stored, batches, missing };
      }
      await sleep(10 * 2 ** look, undefined, signal === undefined ? {} : { signal });
    }
  };

  const load = async (cluster: ClusterName, signal?: AbortSignal): Promise<PersistedCluster> => {
    const { stateSeen, stored, batches, missing } = await readWhole(cluster, signal);
    for (const { sk, problems } of [...batches, { sk: LAST_LOADED, problems: stored.problems }]) {
      for (const { place, reason } of problems) {
        onQuarantine({ cluster, place: place === '' ? sk : `${sk} ${place}`, reason });
      }
    }
    for (const sk of missing) {
      onQuarantine({ cluster, place: sk, reason: `missing, though version ${stored.version} wrote it` });
    }
    if (stored.unreadable && stateSeen !== null) {
      setAside.set(cluster, { version: stored.version, item: stateSeen });
    } else {
      setAside.delete(cluster);
    }
    return { version: stored.version, state: stored.state, intents: intentsOf(stored, batches) };
  };

  const commit = async (cluster: ClusterName, given: Commit, signal?: AbortSignal): Promise<CommitOutcome> => {
    const { expectedVersion, now, state, intents, settled, decision } = given;
    const version = expectedVersion + 1;
    const token = randomUUID();
    const added = intentsItems(cluster, intents);
    const removals =
      settled.length === 0
        ? []
        : settle(
            cluster,
            settled,
            (await query(`read the ended intents of cluster ${cluster}`, cluster, signal))
              .filter(({ sk }) => sk !== LAST_LOADED)
              .map((item) => readIntentsItem(String(item['sk']), item)),
          );
    const wrote = added.map(({ sk }) => sk);
    const broken = setAside.get(cluster);
    const items: TransactItem[] = [
      {
        Put: {
          TableName: table,
          Item: await stateItem(cluster, { version, state, wrote, settled, token, now }),
          ...ifVersionIs(expectedVersion),
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        },
      },
      { Put: { TableName: table, Item: await decisionItem(cluster, version, decision, now, retention) } },
      ...added.map((Item) => ({
        Put: { TableName: table, Item, ConditionExpression: 'attribute_not_exists(pk)' },
      })),
      ...removals.map((removal) => withTable(removal, table)),
      ...(broken?.version === expectedVersion
        ? [
            {
              Put: {
                TableName: table,
                Item: { ...broken.item, ...unreadableStateKey(cluster, expectedVersion), ttl: expiry(now, retention) },
              },
            },
          ]
        : []),
    ];
    const what = `commit version ${version} of cluster ${cluster}`;
    if (items.length > MAX_TRANSACTION_ITEMS) {
      throw new Error(
        `DynamoDB table ${table}: ${what}: ${added.length} items of new intents and ${removals.length} of settled ones ` +
          `are more than a transaction takes (${MAX_TRANSACTION_ITEMS}); settle only intents that were loaded`,
      );
    }
    try {
      await call(
        what,
        table,
        signal,
        isCancelled,
        async (http) =>
          // The token makes a repeated request one commit; it is random, for two evaluations may decide just the same.
          await client.send(new TransactWriteCommand({ TransactItems: items, ClientRequestToken: token }), http),
      );
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) {
        throw error;
      }
      const failed = (error.CancellationReasons ?? []).map(({ Code }) => Code === 'ConditionalCheckFailed');
      if (failed[0] === true) {
        // A request whose answer was lost and that was sent again finds the condition broken by itself.
        const found = error.CancellationReasons?.[0]?.Item?.['token']?.S;
        if (found !== token) {
          return { kind: 'conflict' };
        }
      } else {
        const duplicate = added.find((_, index) => failed[index + 2] === true);
        const why = duplicate === undefined ? error.message : `${duplicate.sk} holds intents already`;
        throw new Error(`DynamoDB table ${table}: ${what}: ${why}`, { cause: error });
      }
    }
    setAside.delete(cluster);
    return { kind: 'committed', version };
  };

  const claimIntent = async (
    cluster: ClusterName,
    id: string,
    now: EpochMs,
    until: EpochMs,
    signal?: AbortSignal,
  ): Promise<Intent | null> => {
    const me = randomUUID();
    const what = `claim intent ${id} of cluster ${cluster}`;
    const Key = intentsKey(cluster, id);
    let item: Item | undefined;
    try {
      const answer = await call(
        what,
        table,
        signal,
        isConditionFailed,
        async (http) =>
          await client.send(
            new UpdateCommand({
              TableName: table,
              Key,
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
                ':schema': SCHEMA_VERSION,
                ':pending': 'pending',
                ':null': 'NULL',
                ':now': now,
              },
              ReturnValues: 'ALL_NEW',
              ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
            }),
            http,
          ),
      );
      item = answer.Attributes;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) {
        throw error;
      }
      // The answer to the first try may have been lost, and the second one found the intent claimed: by this very call.
      if (error.Item?.['intents']?.M?.[id]?.M?.['claimedBy']?.S !== me) {
        return null;
      }
      const again = await call(
        what,
        table,
        signal,
        never,
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
  };

  const endIntent: StateStore['endIntent'] = async (cluster, id, status, outcome, signal) => {
    try {
      await call(
        `end intent ${id} of cluster ${cluster} as ${status}`,
        table,
        signal,
        isConditionFailed,
        async (http) =>
          await client.send(
            new UpdateCommand({
              TableName: table,
              Key: intentsKey(cluster, id),
              UpdateExpression:
                'SET intents.#id.#status = :status, intents.#id.outcome = :outcome, intents.#id.claimedUntil = :nobody',
              ConditionExpression: '#schema = :schema AND intents.#id.#status = :pending',
              ExpressionAttributeNames: { '#id': id, '#status': 'status', '#schema': 'schema' },
              ExpressionAttributeValues: {
                ':status': status,
                ':outcome': outcome,
                ':nobody': null,
                ':schema': SCHEMA_VERSION,
                ':pending': 'pending',
              },
            }),
            http,
          ),
      );
    } catch (error) {
      // It has ended already, or it is settled and gone: then there is nothing to end.
      if (!(error instanceof ConditionalCheckFailedException)) {
        throw error;
      }
    }
  };

  const lastDecision: StateStore['lastDecision'] = async (cluster, signal) => {
    let from: Item | undefined;
    for (let tries = 0; tries < MAX_UNREADABLE_DECISIONS; tries++) {
      const { Items, LastEvaluatedKey } = await call(
        `read the last decision of cluster ${cluster}`,
        table,
        signal,
        never,
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
  };

  return { load, commit, claimIntent, endIntent, lastDecision };
}

const never = (): boolean => false;
const isConditionFailed = (error: unknown): boolean => error instanceof ConditionalCheckFailedException;
const isCancelled = (error: unknown): boolean => error instanceof TransactionCanceledException;

/** A state without a number as its version counts as version 0, which is what a load makes of it. */
const ifVersionIs = (version: number) =>
  version === 0
    ? {
        ConditionExpression:
          'attribute_not_exists(#version) OR NOT attribute_type(#version, :number) OR #version = :version',
        ExpressionAttributeNames: { '#version': 'version' },
        ExpressionAttributeValues: { ':version': version, ':number': 'N' },
      }
    : {
        ConditionExpression: '#version = :version',
        ExpressionAttributeNames: { '#version': 'version' },
        ExpressionAttributeValues: { ':version': version },
      };

/** What a load shows: all pending intents, and as many ended ones as one commit can settle; the others come later. */
function intentsOf({ settled }: StoredState, batches: readonly StoredIntents[]): readonly Intent[] {
  const gone = new Set(settled);
  let withEnded = 0;
  return batches
    .flatMap(({ intents }) => {
      const here = intents.filter(({ id }) => !gone.has(id));
      if (here.some(({ status }) => status !== 'pending')) {
        withEnded++;
      }
      return withEnded <= MAX_SETTLED_ITEMS ? here : here.filter(({ status }) => status === 'pending');
    })
    .sort((a, b) => byName(a.id, b.id));
}

type Removal =
  | { readonly Delete: { readonly Key: { readonly pk: string; readonly sk: string } } }
  | {
      readonly Update: {
        readonly Key: { readonly pk: string; readonly sk: string };
        readonly UpdateExpression: string;
        readonly ConditionExpression: string;
        readonly ExpressionAttributeNames: Record<string, string>;
      };
    };

/**
 * Takes settled intents out of their items, and items out of the table that are empty then. What an item holds may be
 * read before the transaction: only commits take something out, and the version lets none come in between.
 */
function settle(
  cluster: ClusterName,
  settled: readonly string[],
  batches: readonly StoredIntents[],
): readonly Removal[] {
  const gone = new Set(settled);
  return batches.flatMap(({ sk, ids }): readonly Removal[] => {
    const here = ids.filter((id) => gone.has(id));
    const Key = { pk: partitionOf(cluster), sk };
    if (here.length === 0) {
      return [];
    }
    if (here.length === ids.length) {
      return [{ Delete: { Key } }];
    }
    return [
      {
        Update: {
          Key,
          UpdateExpression: `REMOVE ${here.map((_, index) => `intents.#i${index}`).join(', ')}`,
          ConditionExpression: 'attribute_exists(pk)',
          ExpressionAttributeNames: Object.fromEntries(here.map((id, index) => [`#i${index}`, id])),
        },
      },
    ];
  });
}

const withTable = (removal: Removal, TableName: string): TransactItem =>
  'Delete' in removal ? { Delete: { TableName, ...removal.Delete } } : { Update: { TableName, ...removal.Update } };
