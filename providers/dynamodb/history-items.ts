import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DynamoDBDocumentClient,
  GetCommand,
  paginateQuery,
  PutCommand,
  QueryCommand,
  type QueryCommandInput,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { partitionOf } from '@outrigger/core/model/table-keys.ts';
import type { ClusterName } from '@outrigger/core/model/values/names.ts';
import type { HistoryPeriod } from '@outrigger/core/ports/decision-history.ts';
import type { HistoryItems, StoredEntry } from '../history/items.ts';
import { storedTime } from '../schema/stored/scalars.ts';
import type { Item } from './access.ts';
import { call, callOnCondition } from './call.ts';
import { storedDocumentSchema } from '../compressed/document.ts';
import { DECIDED_PREFIX, decidedBytesKey, decidedFromKey, decidedKey, type Key } from './keys.ts';
import { findings } from './quarantine.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';

export interface DynamoDbHistoryOptions {
  readonly client: DynamoDBClient;
  readonly table: string;
  /** Called with an item that cannot be read. The item stays until it expires. */
  readonly onUnreadable: (problem: { readonly key: string; readonly problem: string }) => void;
  /** The time, which decides on what has expired. Default: the clock of the system. */
  readonly now?: () => number;
}

const entrySchema: z.ZodType<StoredEntry> = z.object({
  id: z.string(),
  at: storedTime,
  kind: z.enum(['scale-up', 'scale-down', 'evaluation']),
  changes: z.boolean(),
  did: z.string(),
  scenario: z.enum(['kept', 'too large', 'sampled']),
  digest: z.string(),
  story: z.string(),
  decision: storedDocumentSchema,
  settings: storedDocumentSchema,
  ttl: z.number(),
});
const scenarioSchema = z.object({ scenario: z.instanceof(Uint8Array) });

/** How far back the last decision of one kind is looked for. */
const LOOKED_AT = 50;

interface Table {
  readonly documents: DynamoDBDocumentClient;
  readonly table: string;
  readonly onUnreadable: DynamoDbHistoryOptions['onUnreadable'];
  readonly now: () => number;
}

/**
 * History in the table of the state, which no evaluation loads: `DECIDED#<version>`, `DECIDED-FROM#<version>` with what
 * it was made from, and a count of the bytes of each hour. All of it expires.
 */
export function dynamoDbHistoryItems({ client, now = Date.now, ...options }: DynamoDbHistoryOptions): HistoryItems {
  const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  const table: Table = { documents, now, ...options };
  return { ...writesOf(table), ...readsOf(table) };
}

const writesOf = ({ documents, table }: Table): Pick<HistoryItems, 'spend' | 'put'> => {
  const put = async (Item: Key & Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<void> => {
    await call({ what: `write ${Item.sk}`, table, signal }, async (http) =>
      documents.send(new PutCommand({ TableName: table, Item }), http),
    );
  };
  return {
    spend: async (cluster, { hour, bytes, most, ttl }, signal) => {
      const update = new UpdateCommand({
        TableName: table,
        Key: decidedBytesKey(cluster, hour),
        UpdateExpression: 'ADD #bytes :bytes SET #ttl = :ttl',
        ConditionExpression: 'attribute_not_exists(#bytes) OR #bytes <= :room',
        ExpressionAttributeNames: { '#bytes': 'bytes', '#ttl': 'ttl' },
        ExpressionAttributeValues: { ':bytes': bytes, ':room': most - bytes, ':ttl': ttl },
      });
      const what = `count the history of cluster ${cluster}`;
      return (await callOnCondition({ what, table, signal }, async (http) => documents.send(update, http))) !== null;
    },

    put: async (cluster, entry, scenario, signal) => {
      if (scenario !== null) {
        await put({ ...decidedFromKey(cluster, entry.id), scenario, ttl: entry.ttl }, signal);
      }
      await put({ ...decidedKey(cluster, entry.id), ...entry }, signal);
    },
  };
};

const readsOf = (access: Table): Omit<HistoryItems, 'spend' | 'put'> => {
  const { documents, table, onUnreadable, now } = access;
  /** The entry; `null` where it cannot be read, or has expired: DynamoDB deletes it within days. */
  const read = (item: Item): StoredEntry | null => {
    const { data, error } = entrySchema.safeParse(item);
    if (error !== undefined) {
      onUnreadable({ key: String(item['sk']), problem: findings(error) });
      return null;
    }
    return data.ttl * 1_000 > now() ? data : null;
  };
  const get = async (key: Key, signal?: AbortSignal): Promise<Item | null> => {
    const { Item: found } = await call({ what: `read ${key.sk}`, table, signal }, async (http) =>
      documents.send(new GetCommand({ TableName: table, Key: key }), http),
    );
    return found ?? null;
  };
  return {
    lastStory: async (cluster, kind, signal) => {
      const query = latestFirst(table, cluster, { Limit: LOOKED_AT, ProjectionExpression: 'kind, story' });
      const { Items = [] } = await call(
        { what: `read the last decision of cluster ${cluster}`, table, signal },
        async (http) => documents.send(new QueryCommand(query), http),
      );
      const story: unknown = Items.find((item) => item['kind'] === kind)?.['story'];
      return typeof story === 'string' ? story : null;
    },

    list: async (cluster, period, signal) => {
      const found: StoredEntry[] = [];
      await call({ what: `list the decisions of cluster ${cluster}`, table, signal }, async (http) => {
        found.length = 0;
        for await (const page of pagesOf(access, cluster, period, http)) {
          found.push(...page.map(read).filter((entry) => entry !== null));
        }
      });
      return found.slice(0, period.limit);
    },

    get: async (cluster, id, signal) => {
      return mapOptional(await get(decidedKey(cluster, id), signal), read);
    },

    scenario: async (cluster, id, signal) => {
      return mapOptional(await get(decidedFromKey(cluster, id), signal), (item) => scenarioSchema.parse(item).scenario);
    },
  };
};

/** Decisions of a period as they are stored; at least as many as are wanted, if there are. */
async function* pagesOf(
  { documents, table }: Table,
  cluster: ClusterName,
  { since, until, limit = Infinity }: HistoryPeriod,
  http: { readonly abortSignal?: AbortSignal },
): AsyncGenerator<readonly Item[]> {
  const earlier = mapOptional(until, (end) => ({
    FilterExpression: '#at < :until',
    ExpressionAttributeNames: { '#at': 'at' },
    ExpressionAttributeValues: { ':until': end },
  }));
  const query = latestFirst(table, cluster, earlier);
  let count = 0;
  for await (const { Items = [] } of paginateQuery({ client: documents }, query, http)) {
    const early = Items.findIndex((item) => since !== undefined && item['at'] < since);
    yield early < 0 ? Items : Items.slice(0, early);
    count += Items.length;
    if (early >= 0 || count >= limit) {
      return;
    }
  }
}

const latestFirst = (table: string, cluster: ClusterName, more?: Partial<QueryCommandInput>): QueryCommandInput => ({
  TableName: table,
  KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
  ScanIndexForward: false,
  ...more,
  ExpressionAttributeValues: {
    ':pk': partitionOf(cluster),
    ':prefix': DECIDED_PREFIX,
    ...more?.ExpressionAttributeValues,
  },
});
