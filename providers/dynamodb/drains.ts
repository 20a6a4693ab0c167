import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { messageOf } from '@outrigger/core/model/values/error-message.ts';
import { hasEnded, type StoredDrain } from '@outrigger/core/model/drain.ts';
import type { ClusterName, PodKey } from '@outrigger/core/model/values/names.ts';
import type { DrainStore } from '@outrigger/core/ports/drain-store.ts';
import { epochMs } from '@outrigger/core/model/values/time.ts';
import { call, callOnCondition } from './call.ts';
import { storedDocumentSchema, readStoredDocument } from '../compressed/document.ts';
import { partitionOf } from '@outrigger/core/model/table-keys.ts';
import type { Key } from './keys.ts';
import { drainSchema } from '../schema/stored/drain.ts';
import { writeDrain } from './stored-drain.ts';
import { itemsWithPrefix } from './query.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';

const DRAIN_PREFIX = 'DRAIN#';
export const DRAIN_FORMAT = 1;
/** Ended drains of a cluster that is no longer evaluated expire. */
const TTL_SECONDS = 7 * 24 * 60 * 60;

const drainKey = (cluster: ClusterName, id: string): Key => ({
  pk: partitionOf(cluster),
  sk: `${DRAIN_PREFIX}${id}`,
});

const itemSchema = z.object({
  sk: z.string(),
  schema: z.literal(DRAIN_FORMAT),
  revision: z.number().int().positive(),
  attempt: z.number().int().positive(),
  drivenUntil: z.number(),
  document: storedDocumentSchema,
});

interface DynamoDbDrainsOptions {
  readonly client: DynamoDBClient;
  readonly table: string;
  /**
   * Called with a drain that cannot be read. The drain is not changed, and its node keeps the taint until an operator
   * acts.
   */
  readonly onUnreadable: (problem: { readonly key: string; readonly problem: string }) => void;
  /** Called with evicted pods that were stored abridged because the whole drain does not fit one item. */
  readonly onAbridged?: (omitted: {
    readonly cluster: ClusterName;
    readonly drain: string;
    readonly pods: readonly PodKey[];
  }) => void;
}

/** The table, and the callbacks for unreadable and abridged drains. */
interface DrainTable extends DynamoDbDrainsOptions {
  readonly documents: DynamoDBDocumentClient;
}

/**
 * Drains in the table of the state, one item each: `sk = DRAIN#<id>`. Each change is one conditional write, so of two
 * drivers only one continues.
 */
export function createDynamoDbDrains(options: DynamoDbDrainsOptions): DrainStore {
  const drains: DrainTable = { ...options, documents: DynamoDBDocumentClient.from(options.client) };
  const { documents, table } = drains;
  return {
    list: (cluster, signal) => listDrains(drains, cluster, signal),

    async load(cluster, id, signal) {
      const { Item } = await call({ what: `reading drain ${id}`, table, signal }, async (http) =>
        documents.send(new GetCommand({ TableName: table, Key: drainKey(cluster, id), ConsistentRead: true }), http),
      );
      return (await mapOptional(Item, (item) => readDrain(drains, item))) ?? null;
    },

    async create(cluster, change, signal) {
      if ((await putDrain(drains, cluster, { ...change, revision: 1 }, signal)) === 'too large') {
        throw new Error(`DynamoDB table ${table}: writing drain ${change.drain.id}: it does not fit one item`);
      }
    },

    async save(cluster, change, revision, signal) {
      const stored = { ...change, revision: revision + 1 };
      const saved = await putDrain(drains, cluster, stored, signal);
      if (saved === 'too large') {
        return saved;
      }
      return saved ? stored : null;
    },

    async remove(cluster, ids, signal) {
      await Promise.all(
        ids.map(async (id) =>
          call({ what: `removing drain ${id}`, table, signal }, async (http) =>
            documents.send(new DeleteCommand({ TableName: table, Key: drainKey(cluster, id) }), http),
          ),
        ),
      );
    },
  };
}

async function listDrains(
  drains: DrainTable,
  cluster: ClusterName,
  signal: AbortSignal | undefined,
): Promise<readonly StoredDrain[]> {
  const access = { client: drains.documents, table: drains.table, cluster, signal };
  const items = await itemsWithPrefix(access, `listing the drains of ${cluster}`, DRAIN_PREFIX);
  const read = await Promise.all(items.map((item) => readDrain(drains, item)));
  return read.filter((drain) => drain !== null);
}

/** @returns `null` for an item that cannot be read. */
async function readDrain({ onUnreadable }: DrainTable, item: unknown): Promise<StoredDrain | null> {
  const key = String((item as { sk?: unknown }).sk);
  try {
    const { revision, attempt, drivenUntil, document } = itemSchema.parse(item);
    const drain = drainSchema.parse(JSON.parse(await readStoredDocument(document)));
    return { drain, revision, attempt, drivenUntil: epochMs(drivenUntil) };
  } catch (error) {
    onUnreadable({ key, problem: messageOf(error) });
    return null;
  }
}

/** The condition that the store has neither this revision of a drain nor a later one. */
const isNext = (revision: number) =>
  revision === 1
    ? { ConditionExpression: 'attribute_not_exists(pk)' }
    : {
        ConditionExpression: '#revision = :revision',
        ExpressionAttributeNames: { '#revision': 'revision' },
        ExpressionAttributeValues: { ':revision': revision - 1 },
      };

/** @returns whether it is the next revision of the drain. */
async function putDrain(
  { documents, table, onAbridged }: DrainTable,
  cluster: ClusterName,
  { drain, attempt, drivenUntil, revision }: StoredDrain,
  signal: AbortSignal | undefined,
): Promise<boolean | 'too large'> {
  const written = await writeDrain(drain);
  if (written === null) {
    return 'too large';
  }
  if (written.abridged.length > 0) {
    onAbridged?.({ cluster, drain: drain.id, pods: written.abridged });
  }
  const Item = {
    ...drainKey(cluster, drain.id),
    schema: DRAIN_FORMAT,
    revision,
    attempt,
    drivenUntil,
    document: written.document,
    ttl: hasEnded(drain) ? Math.floor(drain.phaseSince / 1_000) + TTL_SECONDS : undefined,
  };
  const answer = await callOnCondition({ what: `writing drain ${drain.id}`, table, signal }, async (http) =>
    documents.send(new PutCommand({ TableName: table, Item, ...isNext(revision) }), http),
  );
  return answer !== null;
}
