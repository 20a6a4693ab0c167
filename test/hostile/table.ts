import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Commit, StateStore } from '../../core/ports/state-store.ts';
import type { DrainStore } from '../../core/ports/drain-store.ts';
import { createDynamoDbDrains } from '../../providers/dynamodb/drains.ts';
import { createDynamoDbStore } from '../../providers/dynamodb/store.ts';

/** DynamoDB's own limits, in bytes. */
const MAX_ITEM = 400 * 1024;
const MAX_TRANSACTION = 4 * 1024 * 1024;
const MAX_TRANSACTION_ITEMS = 100;

/** An attribute as the wire has it; binaries are base64. */
type Attribute = Readonly<Record<string, unknown>>;
export type WireItem = Readonly<Record<string, Attribute>>;
interface Write {
  readonly Put?: { readonly Item: WireItem };
  readonly Delete?: { readonly Key: WireItem };
}
interface Body {
  readonly Item?: WireItem;
  readonly Key?: WireItem;
  readonly ConditionExpression?: string;
  readonly KeyConditionExpression?: string;
  readonly ExpressionAttributeValues?: Readonly<Record<string, Attribute>>;
  readonly ScanIndexForward?: boolean;
  readonly TransactItems?: readonly Write[];
}

export interface HostileTable {
  readonly client: DynamoDBClient;
  /** Stored items, by sort key. */
  readonly items: () => readonly WireItem[];
  readonly drains: DrainStore;
  /** The store, with each commit written to the table as well, and the state read back from there. */
  readonly behind: (store: StateStore) => StateStore;
  /** The largest item that was written, in bytes. */
  readonly largest: () => number;
  /** Read and write units that on-demand mode would have charged. */
  readonly charged: () => { readonly reads: number; readonly writes: number };
}

/**
 * A table in this process behind the real client and the real codecs: items are stored, unless DynamoDB would refuse
 * the size. The only supported conditions are the revisions of drains.
 *
 * @param given the initial items
 */
export function hostileTable(given: readonly WireItem[] = []): HostileTable {
  let largest = 0;
  const charged = { reads: 0, writes: 0 };
  const skOf = (item: WireItem): string => String(item['sk']!['S']);
  const items = new Map(given.map((item) => [skOf(item), item]));
  const stored = (): readonly WireItem[] => [...items.values()].toSorted((a, b) => (skOf(a) < skOf(b) ? -1 : 1));

  const accept = (item: WireItem): number => {
    const size = bytesOf({ M: item });
    largest = Math.max(largest, size);
    if (size > MAX_ITEM) {
      throw refused('ValidationException', `Item size has exceeded the maximum allowed size (${size} bytes)`);
    }
    return size;
  };
  const write = ({ Put, Delete }: Write): void => {
    if (Put !== undefined) {
      items.set(skOf(Put.Item), Put.Item);
    } else if (Delete !== undefined) {
      items.delete(skOf(Delete.Key));
    }
  };

  const operations: Readonly<Record<string, (body: Body) => unknown>> = {
    GetItem: ({ Key }) => {
      const Item = items.get(skOf(Key!));
      charged.reads += readUnits(Item === undefined ? [] : [Item]);
      return { Item };
    },
    DeleteItem: ({ Key }) => {
      charged.writes += 1;
      return (items.delete(skOf(Key!)), {});
    },
    PutItem: ({ Item, ConditionExpression, ExpressionAttributeValues }) => {
      charged.writes += writeUnits(accept(Item!));
      const known = items.get(skOf(Item!));
      const isAsExpected =
        ConditionExpression === 'attribute_not_exists(pk)'
          ? known === undefined
          : known?.['revision']?.['N'] === ExpressionAttributeValues?.[':revision']?.['N'];
      if (!isAsExpected) {
        throw refused('ConditionalCheckFailedException', 'The conditional request failed');
      }
      write({ Put: { Item: Item! } });
      return {};
    },
    // Counters, which nothing reads here.
    UpdateItem: () => ({}),
    Query: ({ KeyConditionExpression, ExpressionAttributeValues: values, ScanIndexForward = true }) => {
      const text = (name: string): string => String(values![name]!['S']);
      const matches = KeyConditionExpression!.includes('begins_with')
        ? (sk: string) => sk.startsWith(text(':prefix'))
        : (sk: string) => sk >= text(':first') && sk <= text(':last');
      const found = stored().filter((item) => matches(skOf(item)));
      const Items = ScanIndexForward ? found : found.toReversed();
      charged.reads += readUnits(Items);
      return { Items };
    },
    TransactWriteItems: ({ TransactItems }) => {
      const writes = TransactItems!;
      const sizes = writes.map(({ Put }) => (Put === undefined ? 0 : accept(Put.Item)));
      const size = sizes.reduce((sum, one) => sum + one, 0);
      // A transaction is charged twice.
      charged.writes += 2 * sizes.reduce((sum, one) => sum + writeUnits(one), 0);
      if (size > MAX_TRANSACTION || writes.length > MAX_TRANSACTION_ITEMS) {
        throw refused('ValidationException', `Transaction of ${size} bytes, ${writes.length} items is too large`);
      }
      writes.forEach(write);
      return {};
    },
  };

  const client = new DynamoDBClient({
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1,
    requestHandler: {
      handle: async (request: { readonly headers: Record<string, string>; readonly body: Uint8Array | string }) => {
        const operation = request.headers['x-amz-target']!.split('.')[1]!;
        try {
          return respond(200, operations[operation]!(JSON.parse(textOf(request.body)) as Body));
        } catch (error) {
          if (error instanceof Refused) {
            return respond(400, { __type: `com.amazonaws.dynamodb.v20120810#${error.code}`, message: error.message });
          }
          throw error;
        }
      },
    },
  });

  return {
    client,
    items: stored,
    largest: () => largest,
    charged: () => ({ ...charged }),
    drains: createDynamoDbDrains({
      client,
      table: 'outrigger',
      onUnreadable: ({ key, problem }) => {
        throw new Error(`drain ${key} cannot be read back: ${problem}`);
      },
    }),
    behind: (store) => {
      const table = createDynamoDbStore({
        client,
        table: 'outrigger',
        onQuarantine: ({ place, reason }) => {
          throw new Error(`${place} cannot be read back: ${reason}`);
        },
      });
      return {
        ...store,
        load: async (cluster, signal) => {
          const [held, { state }] = await Promise.all([store.load(cluster, signal), table.load(cluster, signal)]);
          return held.version === 0 ? held : { ...held, state };
        },
        commit: async (cluster, commit, signal) => {
          // Intents live in the store in front: here they are written for their size alone, and never ended.
          const written: Commit = { ...commit, settled: [] };
          const stored = await table.commit(cluster, written, signal);
          if (stored.kind === 'conflict') {
            throw new Error('the table and the store in front of it are of different versions');
          }
          return await store.commit(cluster, commit, signal);
        },
      };
    },
  };
}

/** Units of a consistent read. */
const readUnits = (items: readonly WireItem[]): number =>
  Math.max(1, Math.ceil(items.reduce((sum, item) => sum + bytesOf({ M: item }), 0) / 4_096));

const writeUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / 1_024));

class Refused extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

const refused = (code: string, message: string): Refused => new Refused(code, message);

const respond = (statusCode: number, body: unknown) => ({
  response: {
    statusCode,
    headers: { 'content-type': 'application/x-amz-json-1.0' },
    body: Buffer.from(JSON.stringify(body)),
  },
});

const textOf = (body: Uint8Array | string): string =>
  typeof body === 'string' ? body : new TextDecoder().decode(body);

/** Size of an attribute, as DynamoDB counts: names and values in UTF-8, binaries unpacked. */
function bytesOf(attribute: Attribute): number {
  const [[type, value]] = Object.entries(attribute) as [[string, unknown]];
  switch (type) {
    case 'S':
      return Buffer.byteLength(value as string);
    case 'B':
      return Math.ceil(((value as string).length * 3) / 4);
    case 'M':
      return Object.entries(value as WireItem).reduce(
        (sum, [name, of]) => sum + Buffer.byteLength(name) + bytesOf(of),
        3,
      );
    case 'L':
      return (value as readonly Attribute[]).reduce((sum, of) => sum + 1 + bytesOf(of), 3);
    default:
      return String(value).length;
  }
}
