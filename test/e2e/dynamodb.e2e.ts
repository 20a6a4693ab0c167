import { randomUUID } from 'node:crypto';
import {
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { ClusterName } from '../../core/model/names.ts';
import type { StateStore } from '../../core/model/ports.ts';
import { EMPTY_STATE } from '../../core/model/state.ts';
import { minutes } from '../../core/model/time.ts';
import { createDynamoDbClient } from '../../providers/dynamodb/client.ts';
import { intentsKey, partitionOf, stateKey } from '../../providers/dynamodb/keys.ts';
import type { Quarantined } from '../../providers/dynamodb/quarantine.ts';
import { createDynamoDbStore } from '../../providers/dynamodb/store.ts';
import { ensureTable } from '../../providers/dynamodb/table.ts';
import { pod } from '../builders.ts';
import {
  after,
  commitOf,
  decisionOf,
  freshCluster,
  intentOf,
  NOON,
  stateAt,
  stateStoreContract,
} from '../providers/state-store.contract.ts';

const endpoint = inject('dynamodbEndpoint');
const table = `outrigger-${randomUUID()}`;
const client = createDynamoDbClient({ endpoint });
const items = DynamoDBDocumentClient.from(client);

beforeAll(async () => {
  await ensureTable(client, table);
});
afterAll(() => {
  client.destroy();
});

const failOnQuarantine = (quarantined: Quarantined): void => {
  throw new Error(`unexpected: ${JSON.stringify(quarantined)}`);
};
const open = (using: DynamoDBClient = client): StateStore =>
  createDynamoDbStore({ client: using, table, onQuarantine: failOnQuarantine });

/** A store, and what it could not read. */
function openWatched(): { readonly store: StateStore; readonly quarantined: Quarantined[] } {
  const quarantined: Quarantined[] = [];
  return { store: createDynamoDbStore({ client, table, onQuarantine: (q) => quarantined.push(q) }), quarantined };
}

async function itemsOf(cluster: ClusterName): Promise<readonly Record<string, unknown>[]> {
  const { Items } = await items.send(
    new QueryCommand({
      TableName: table,
      ConsistentRead: true,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': partitionOf(cluster) },
    }),
  );
  return Items ?? [];
}

describe('store in DynamoDB', () => {
  stateStoreContract({ open, races: 200, propertyRuns: 40 });
});

describe('the table', () => {
  it('has the shape that the stack gives it, and is made once', async () => {
    const name = `outrigger-${randomUUID()}`;
    await Promise.all([ensureTable(client, name), ensureTable(client, name)]);
    await ensureTable(client, name);
    const { Table } = await client.send(new DescribeTableCommand({ TableName: name }));
    expect(Table?.KeySchema).toEqual([
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ]);
    expect(Table?.StreamSpecification).toEqual({ StreamEnabled: true, StreamViewType: 'KEYS_ONLY' });
    const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName: name }));
    expect(TimeToLiveDescription).toEqual({ AttributeName: 'ttl', TimeToLiveStatus: 'ENABLED' });
  });

  it('that does not exist is named in the error', async () => {
    const store = createDynamoDbStore({ client, table: 'no-such-table', onQuarantine: failOnQuarantine });
    const cluster = freshCluster();
    await expect(store.load(cluster)).rejects.toThrow(`no-such-table: load cluster ${cluster}: there is no such table`);
  });
});

describe('the items of a cluster', () => {
  it('are a state, decisions that expire, and intents until they are settled', async () => {
    const store = createDynamoDbStore({ client, table, onQuarantine: failOnQuarantine, retention: minutes(10) });
    const cluster = freshCluster();
    await store.commit(cluster, commitOf(0, { now: NOON, intents: [intentOf(0, 'web'), intentOf(0, 'api')] }));
    const expires = NOON / 1_000 + 600;
    const keys = async () => (await itemsOf(cluster)).map(({ sk, ttl }) => [sk, ttl]);
    expect(await keys()).toEqual([
      ['DECISION#000000000001', expires],
      ['INTENT#0#6', undefined],
      ['INTENT#0#7', undefined],
      ['STATE', undefined],
    ]);
    await store.commit(cluster, commitOf(1, { now: NOON, settled: ['0-web', '0-api'] }));
    expect(await keys()).toEqual([
      ['DECISION#000000000001', expires],
      ['DECISION#000000000002', expires],
      ['STATE', undefined],
    ]);
  });

  it('are not written when the state is too large, and the error names its largest parts', async () => {
    const store = open();
    const cluster = freshCluster();
    const unneededSince = Object.fromEntries(Array.from({ length: 20_000 }, () => [randomUUID(), NOON]));
    await expect(store.commit(cluster, commitOf(0, { state: stateAt(NOON, { unneededSince }) }))).rejects.toThrow(
      /at most 390 KB fit; its largest parts are unneededSince \(20000 entries\)/,
    );
    expect(await itemsOf(cluster)).toEqual([]);
  });
});

describe('an item that makes no sense', () => {
  it('as an intent is reported, stays, and the others are loaded, claimed, ended and settled', async () => {
    const { store, quarantined } = openWatched();
    const cluster = freshCluster();
    // `group-1` and `group-8` share an item.
    const ids = ['0-group-1', '0-group-8'] as const;
    expect(intentsKey(cluster, ids[0])).toEqual(intentsKey(cluster, ids[1]));
    await store.commit(cluster, commitOf(0, { intents: [intentOf(0, 'group-1'), intentOf(0, 'group-8')] }));
    await items.send(
      new UpdateCommand({
        TableName: table,
        Key: intentsKey(cluster, ids[0]),
        UpdateExpression: 'SET intents.#id.#to = :what',
        ExpressionAttributeNames: { '#id': ids[0], '#to': 'to' },
        ExpressionAttributeValues: { ':what': 'many' },
      }),
    );
    expect((await store.load(cluster)).intents).toEqual([intentOf(0, 'group-8')]);
    const place = `${intentsKey(cluster, ids[0]).sk} intents.${ids[0]}`;
    expect(quarantined).toMatchObject([{ cluster, place, reason: expect.stringContaining('to: ') as string }]);
    expect(await store.claimIntent(cluster, ids[0], NOON, after(60))).toBeNull();
    expect(await store.claimIntent(cluster, ids[1], NOON, after(60))).not.toBeNull();
    await store.endIntent(cluster, ids[1], 'done', null);
    await store.commit(cluster, commitOf(1, { settled: [ids[1]] }));
    expect((await store.load(cluster)).intents).toEqual([]);
    const left = (await itemsOf(cluster)).find(({ sk }) => sk === intentsKey(cluster, ids[0]).sk);
    expect(Object.keys(left?.['intents'] as object)).toEqual([ids[0]]);
  });

  it.each([
    ['of another format', { schema: 2, intents: {} }],
    ['without any attribute', {}],
  ])('as intents %s is reported and stays', async (_, attributes) => {
    const { store, quarantined } = openWatched();
    const cluster = freshCluster();
    await store.commit(cluster, commitOf(0, { intents: [intentOf(0, 'web')] }));
    const alien = { pk: partitionOf(cluster), sk: 'INTENT#alien', ...attributes };
    await items.send(new PutCommand({ TableName: table, Item: alien }));
    expect(await store.load(cluster)).toEqual({ version: 1, state: stateAt(NOON), intents: [intentOf(0, 'web')] });
    expect(quarantined.map(({ place }) => place)).toEqual(['INTENT#alien']);
    await store.commit(cluster, commitOf(1, { settled: ['0-web', 'alien'] }));
    expect(await itemsOf(cluster)).toContainEqual(alien);
  });

  it.each([
    ['of another format', { schema: 2 }, 3],
    ['with a document that is no JSON', { document: { encoding: 'json', body: '{' } }, 3],
    ['with a document that is no gzip', { document: { encoding: 'gzip', body: new Uint8Array([1, 2]) } }, 3],
    ['with a part of another type', { document: { encoding: 'json', body: '{"groups":[]}' } }, 3],
    ['without a version', { version: 'three' }, 0],
  ])('as a state %s is an empty one, and is kept beside the state that replaces it', async (_, broken, version) => {
    const { store, quarantined } = openWatched();
    const cluster = freshCluster();
    for (let v = 0; v < 3; v++) {
      await store.commit(cluster, commitOf(v));
    }
    const { Item } = await items.send(new GetCommand({ TableName: table, Key: stateKey(cluster) }));
    await items.send(new PutCommand({ TableName: table, Item: { ...Item, ...broken } }));

    expect(await store.load(cluster)).toEqual({ version, state: EMPTY_STATE, intents: [] });
    expect(quarantined).toMatchObject([{ cluster, place: 'STATE' }]);
    expect(await itemsOf(cluster)).toContainEqual({ ...Item, ...broken });

    expect(await store.commit(cluster, commitOf(version))).toMatchObject({ kind: 'committed' });
    expect(await open().load(cluster)).toMatchObject({ version: version + 1, state: stateAt(after(version)) });
    const kept = (await itemsOf(cluster)).find(({ sk }) => String(sk).startsWith('UNREADABLE#STATE'));
    expect(kept).toMatchObject({ ...broken, ttl: expect.any(Number) as number });
    expect(await store.commit(cluster, commitOf(version + 1))).toMatchObject({ kind: 'committed' });
  });

  it('as an evicted pod inside a state costs that pod alone', async () => {
    const { store, quarantined } = openWatched();
    const cluster = freshCluster();
    await store.commit(cluster, commitOf(0));
    const state = stateAt(NOON, { recentEvictions: [pod('good')] });
    const body = JSON.stringify({ ...state, recentEvictions: [{ name: 'of another shape' }, pod('good')] });
    await items.send(
      new UpdateCommand({
        TableName: table,
        Key: stateKey(cluster),
        UpdateExpression: 'SET document = :document',
        ExpressionAttributeValues: { ':document': { encoding: 'json', body } },
      }),
    );
    expect((await store.load(cluster)).state).toEqual(state);
    expect(quarantined).toMatchObject([{ place: 'STATE recentEvictions[0]' }]);
  });

  it('as a decision gives way to the one before', async () => {
    const { store, quarantined } = openWatched();
    const cluster = freshCluster();
    await store.commit(cluster, commitOf(0, { decision: decisionOf('good') }));
    await store.commit(cluster, commitOf(1, { decision: decisionOf('bad') }));
    const sk = 'DECISION#000000000002';
    await items.send(new PutCommand({ TableName: table, Item: { pk: partitionOf(cluster), sk, schema: 1 } }));
    expect((await store.lastDecision(cluster))?.name).toBe('good');
    expect(quarantined).toMatchObject([{ cluster, place: sk }]);
  });

  it('with a number that JavaScript cannot hold does not make its neighbours unreadable', async () => {
    const { store, quarantined } = openWatched();
    const cluster = freshCluster();
    await store.commit(cluster, commitOf(0, { intents: [intentOf(0, 'web')] }));
    await items.send(
      new PutCommand({
        TableName: table,
        Item: { pk: partitionOf(cluster), sk: 'INTENT#alien', schema: 2n ** 60n },
      }),
    );
    expect((await store.load(cluster)).intents).toEqual([intentOf(0, 'web')]);
    expect(quarantined).toHaveLength(1);
  });
});

describe('half a transaction', () => {
  it('is looked at again until the rest is there', async () => {
    const cluster = freshCluster();
    const store = open();
    await store.commit(cluster, commitOf(0, { intents: [intentOf(0, 'web')] }));
    const whole = await store.load(cluster);
    // The first answers are those of a reader who comes while the transaction is written: the state without its intents.
    let torn = 2;
    const hasty = clientThat((output) => {
      const answer = output as { Items?: { sk: string }[] };
      if (torn-- > 0) {
        answer.Items = answer.Items?.filter(({ sk }) => sk === 'STATE') ?? [];
      }
    });
    expect(await open(hasty).load(cluster)).toEqual(whole);
    expect(torn).toBeLessThan(0);
    hasty.destroy();
  });

  it('is taken as it is, and reported, when the rest never comes', async () => {
    const cluster = freshCluster();
    await open().commit(cluster, commitOf(0, { intents: [intentOf(0, 'web')] }));
    const blind = clientThat((output) => {
      const answer = output as { Items?: { sk: string }[] };
      answer.Items = answer.Items?.filter(({ sk }) => sk === 'STATE') ?? [];
    });
    const quarantined: Quarantined[] = [];
    const store = createDynamoDbStore({ client: blind, table, onQuarantine: (q) => quarantined.push(q) });
    expect(await store.load(cluster)).toEqual({ version: 1, state: stateAt(NOON), intents: [] });
    expect(quarantined).toEqual([
      { cluster, place: intentsKey(cluster, '0-web').sk, reason: 'missing, though version 1 wrote it' },
    ]);
    blind.destroy();
  });

  it('does not show what it has settled', async () => {
    const cluster = freshCluster();
    const store = open();
    await store.commit(cluster, commitOf(0, { intents: [intentOf(0, 'web')] }));
    await store.endIntent(cluster, '0-web', 'done', null);
    const before = (await itemsOf(cluster)).find(({ sk }) => String(sk).startsWith('INTENT#'));
    await store.commit(cluster, commitOf(1, { settled: ['0-web'] }));
    await items.send(new PutCommand({ TableName: table, Item: before }));
    expect((await store.load(cluster)).intents).toEqual([]);
  });
});

describe('an answer that is lost on the way', () => {
  it('to a commit does not make it a conflict, nor two commits', async () => {
    const cluster = freshCluster();
    const losing = clientThatLosesAnAnswer();
    expect(await open(losing.client).commit(cluster, commitOf(0, { intents: [intentOf(0, 'web')] }))).toEqual({
      kind: 'committed',
      version: 1,
    });
    expect(losing.lost()).toBe(1);
    expect((await open().load(cluster)).intents).toEqual([intentOf(0, 'web')]);
  });

  it('to a commit does not make it a conflict either once its token is forgotten', async () => {
    const cluster = freshCluster();
    const losing = clientThatLosesAnAnswer((input) => {
      (input as { ClientRequestToken?: string }).ClientRequestToken = randomUUID();
    });
    expect(await open(losing.client).commit(cluster, commitOf(0))).toEqual({ kind: 'committed', version: 1 });
    expect(losing.lost()).toBe(1);
    expect((await open().load(cluster)).version).toBe(1);
  });

  it('to a claim leaves the intent with its claimant, claimed once', async () => {
    const cluster = freshCluster();
    await open().commit(cluster, commitOf(0, { intents: [intentOf(0, 'web')] }));
    const losing = clientThatLosesAnAnswer();
    expect(await open(losing.client).claimIntent(cluster, '0-web', NOON, after(60))).toEqual(
      intentOf(0, 'web', { claimedUntil: after(60), attempts: 1 }),
    );
    expect(losing.lost()).toBe(1);
  });
});

describe('another transaction at the same items', () => {
  const metadata = { message: 'there is an ongoing operation for the item', $metadata: {} };
  const cancelled = () =>
    new TransactionCanceledException({
      ...metadata,
      CancellationReasons: [{ Code: 'TransactionConflict' }, { Code: 'None' }],
    });
  const conflict = () => new TransactionConflictException(metadata);

  it('is waited for', async () => {
    const cluster = freshCluster();
    const busy = clientThatFails(3, cancelled);
    expect(await open(busy.client).commit(cluster, commitOf(0, { intents: [intentOf(0, 'web')] }))).toEqual({
      kind: 'committed',
      version: 1,
    });
    const busyClaim = clientThatFails(3, conflict);
    expect(await open(busyClaim.client).claimIntent(cluster, '0-web', NOON, after(60))).not.toBeNull();
    const busyEnd = clientThatFails(3, conflict);
    await open(busyEnd.client).endIntent(cluster, '0-web', 'done', null);
    expect((await open().load(cluster)).intents).toEqual([intentOf(0, 'web', { status: 'done', attempts: 1 })]);
    expect([busy.failed(), busyClaim.failed(), busyEnd.failed()]).toEqual([3, 3, 3]);
  });

  it('that does not end is an error, not a conflict', async () => {
    const cluster = freshCluster();
    const busy = clientThatFails(Number.POSITIVE_INFINITY, cancelled);
    await expect(open(busy.client).commit(cluster, commitOf(0))).rejects.toThrow(
      `commit version 1 of cluster ${cluster}: there is an ongoing operation`,
    );
  });
});

/** A client that changes what the server answers. */
function clientThat(changes: (output: object) => void): DynamoDBClient {
  const own = createDynamoDbClient({ endpoint });
  own.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      changes(result.output);
      return result;
    },
    { step: 'initialize' },
  );
  return own;
}

/** The first answer does not arrive; `beforeAgain` may change the input of the SDK's second try. */
function clientThatLosesAnAnswer(beforeAgain?: (input: object) => void) {
  const own = createDynamoDbClient({ endpoint });
  let lost = 0;
  own.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      if (lost === 0) {
        lost++;
        throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError', code: 'ECONNRESET' });
      }
      return result;
    },
    { step: 'deserialize', priority: 'low' },
  );
  if (beforeAgain !== undefined) {
    own.middlewareStack.add(
      (next) => async (args) => {
        if (lost > 0) {
          const request = args.request as { body: Uint8Array };
          const input = JSON.parse(new TextDecoder().decode(request.body)) as object;
          beforeAgain(input);
          request.body = Buffer.from(JSON.stringify(input));
        }
        return await next(args);
      },
      { step: 'finalizeRequest', priority: 'high' },
    );
  }
  return { client: own, lost: () => lost };
}

/** Answers the first so many calls with an error of the server's, without asking it. */
function clientThatFails(times: number, error: () => Error) {
  const own = createDynamoDbClient({ endpoint });
  let failed = 0;
  own.middlewareStack.add(
    (next) => async (args) => {
      if (failed < times) {
        failed++;
        throw error();
      }
      return await next(args);
    },
    { step: 'initialize', priority: 'high' },
  );
  return { client: own, failed: () => failed };
}
