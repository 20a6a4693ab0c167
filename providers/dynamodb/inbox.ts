import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import pMap from 'p-map';
import * as z from 'zod';
import { messageOf } from '@outrigger/core/model/values/error-message.ts';
import { ARRIVED_PREFIX } from '@outrigger/core/model/table-keys.ts';
import type { ArrivedEvent, NoticeInbox } from '@outrigger/core/ports/notice-inbox.ts';
import { storedAnnouncements } from '../schema/stored/notice.ts';
import { call } from './call.ts';
import { storedDocumentSchema, readStoredDocument, writeDocument } from '../compressed/document.ts';
import { arrivedKey } from './keys.ts';
import { itemsWithPrefix } from './query.ts';

interface DynamoDbInboxOptions {
  readonly client: DynamoDBClient;
  readonly table: string;
  /** Called with an event that cannot be read. The event stays until it expires. */
  readonly onUnreadable: (problem: { readonly key: string; readonly problem: string }) => void;
}

/** An event that nothing was able to assign for so long is of no use any more. */
const TTL_SECONDS = 60 * 60;
/** Deletions at the same time. */
const CONCURRENCY = 10;

const itemSchema = z.object({ sk: z.string(), document: storedDocumentSchema });
/**
 * The inbox in the table of the state: `sk = ARRIVED#<id of the event>`, which no evaluation loads. The table's stream
 * delivers the keys of new items to the function that assigns them.
 */
export function createDynamoDbInbox({ client, table, onUnreadable }: DynamoDbInboxOptions): NoticeInbox {
  const documents = DynamoDBDocumentClient.from(client);
  const read = async (item: unknown): Promise<readonly ArrivedEvent[]> => {
    try {
      const { sk, document } = itemSchema.parse(item);
      const announcements = storedAnnouncements.parse(JSON.parse(await readStoredDocument(document)));
      return [{ id: sk.slice(ARRIVED_PREFIX.length), announcements }];
    } catch (error) {
      const key = String((item as { sk?: unknown }).sk);
      onUnreadable({ key, problem: messageOf(error) });
      return [];
    }
  };
  return {
    async add(cluster, { id, announcements }, signal) {
      const received = Math.min(...announcements.map(({ receivedAt }) => receivedAt));
      const Item = {
        ...arrivedKey(cluster, id),
        document: await writeDocument(JSON.stringify(announcements)),
        ttl: Math.floor(received / 1_000) + TTL_SECONDS,
      };
      await call({ what: `add event ${id} of cluster ${cluster}`, table, signal }, async (http) =>
        documents.send(new PutCommand({ TableName: table, Item }), http),
      );
    },

    async list(cluster, signal) {
      const access = { client: documents, table, cluster, signal };
      const items = await itemsWithPrefix(access, `list the events of cluster ${cluster}`, ARRIVED_PREFIX);
      return (await Promise.all(items.map(read))).flat();
    },

    async remove(cluster, ids, signal) {
      await pMap(
        ids,
        async (id) =>
          call({ what: `remove event ${id} of cluster ${cluster}`, table, signal }, async (http) =>
            documents.send(new DeleteCommand({ TableName: table, Key: arrivedKey(cluster, id) }), http),
          ),
        { concurrency: CONCURRENCY },
      );
    },
  };
}
