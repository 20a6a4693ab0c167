import { randomUUID } from 'node:crypto';
import {
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  TransactionCanceledException,
  TransactionConflictException,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ClusterName,
  clusterName,
  type GroupName,
  groupName,
  instanceId,
  nodeName,
} from '../../core/model/values/names.ts';
import { evaluateScaleUp } from '../../core/evaluate.ts';
import type { StateStore } from '../../core/ports/state-store.ts';
import { EMPTY_STATE } from '../../core/model/state.ts';
import { epochMs, minutes } from '../../core/model/values/time.ts';
import { createDynamoDbClient } from '../../providers/dynamodb/client.ts';
import { partitionOf } from '../../core/model/table-keys.ts';
import { FIRST_LOADED, intentsKey, slotOf, stateKey } from '../../providers/dynamodb/keys.ts';
import type { QuarantinedItem } from '../../providers/dynamodb/quarantine.ts';
import { createDynamoDbHistory } from '../../providers/dynamodb/history.ts';
import { createDynamoDbInbox } from '../../providers/dynamodb/inbox.ts';
import { createDynamoDbStore } from '../../providers/dynamodb/store.ts';
import { ensureTable } from '../../providers/dynamodb/table.ts';
import { pod } from '../builders.ts';
import { repetitions } from '../sample.ts';
import { group, scenario } from '../scenario-builders.ts';
import recorded from '../providers/dynamodb/recorded/format-1.json' with { type: 'json' };
import { decisionHistoryContract } from '../providers/decision-history.contract.ts';
import { noticeInboxContract } from '../providers/notice-inbox.contract.ts';
import {
  after,
  commitOf,
  decisionOf,
  freshCluster,
  intentOf,
  NOON,
  stateAt,
  stateStoreContract,
  type When,
} from '../providers/state-store.contract.ts';
import { serverSet } from './server-set.ts';

const endpoint = serverSet.dynamodbEndpoint;
const table = `outrigger-${randomUUID()}`;
const client = createDynamoDbClient({ endpoint });
const items = DynamoDBDocumentClient.from(client);

beforeAll(async () => {
  await ensureTable(client, table);
});
afterAll(() => {
  client.destroy();
});

const failOnQuarantine = (quarantined: QuarantinedItem): void => {
  throw new Error(`unexpected: ${JSON.stringify(quarantined)}`);
};
const open = (using: DynamoDBClient = client): StateStore =>
  createDynamoDbStore({ client: using, table, onQuarantine: failOnQuarantine });

/** A store, and what it could not read. */
function openWatched(): { readonly store: StateStore; readonly quarantined: QuarantinedItem[] } {
  const quarantined: QuarantinedItem[] = [];
  return { store: createDynamoDbStore({ client, table, onQuarantine: (q) => quarantined.push(q) }), quarantined };
}

/** Changes attributes of an item by hand, and gives the whole of it. */
async function alter(
  Key: { readonly pk: string; readonly sk: string },
  attributes: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  const { Item } = await items.send(new GetCommand({ TableName: table, Key, ConsistentRead: true }));
  const altered = { ...Item, ...attributes };
  await items.send(new PutCommand({ TableName: table, Item: altered }));
  return altered;
}

async function itemsOf(cluster: ClusterName, TableName = table): Promise<readonly Record<string, unknown>[]> {
  const { Items } = await items.send(
    new QueryCommand({
      TableName,
      ConsistentRead: true,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': partitionOf(cluster) },
    }),
  );
  return Items ?? [];
}

let itemsWritten = 0;
client.middlewareStack.add(
  (next, { commandName }) =>
    async (args) => {
      const { TransactItems } = args.input as { TransactItems?: readonly unknown[] };
      itemsWritten += TransactItems?.length ?? (/^(?:Put|Update|Delete)Item/.test(commandName ?? '') ? 1 : 0);
      return await next(args);
    },
  { step: 'initialize' },
);

describe('store in DynamoDB', () => {
  stateStoreContract({
    open,
    races: repetitions(1_000, 200),
    propertyRuns: 40,
    calls: {
      itemsWritten: () => itemsWritten,
      openDying: (call, when) => {
        const dying = clientThatDies(call, when);
        return { store: open(dying.client), died: dying.died };
      },
    },
  });
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
    await expect(store.load(cluster)).rejects.toThrow(
      `no-such-table: load cluster ${cluster} failed: AWS does not know the resource`,
    );
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
    await store.commit(
      cluster,
      commitOf(1, {
        now: NOON,
        settled: ['0-web', '0-api'],
        state: stateAt(NOON, {
          repairBackoff: { [groupName('web')]: NOON },
          unneededSince: { [nodeName('n1')]: NOON },
        }),
      }),
    );
    expect(await keys()).toEqual([
      ['DECISION#000000000001', expires],
      ['DECISION#000000000002', expires],
      [slotOf('GROUP', 'web'), undefined],
      [slotOf('NODE', 'n1'), undefined],
      ['STATE', undefined],
    ]);
    await store.commit(cluster, commitOf(2, { now: NOON }));
    expect(await keys()).toEqual([
      ['DECISION#000000000001', expires],
      ['DECISION#000000000002', expires],
      ['DECISION#000000000003', expires],
      ['STATE', undefined],
    ]);
  });

  it('may be in another slot than is read: they move with the next commit', async () => {
    const cluster = freshCluster();
    const state = stateAt(NOON, { repairBackoff: { [groupName('web')]: NOON } });
    await open().commit(cluster, commitOf(0, { state }));
    const key = { pk: partitionOf(cluster), sk: slotOf('GROUP', 'web') };
    const { Item } = await items.send(new GetCommand({ TableName: table, Key: key }));
    await items.send(new DeleteCommand({ TableName: table, Key: key }));
    await items.send(new PutCommand({ TableName: table, Item: { ...Item, sk: 'GROUP#99' } }));
    await alter(stateKey(cluster), { items: { 'GROUP#99': 1 } });
    expect((await open().load(cluster)).state).toEqual(state);
    await open().commit(cluster, commitOf(1, { state }));
    expect((await open().load(cluster)).state).toEqual(state);
    expect((await itemsOf(cluster)).map(({ sk }) => sk).filter((sk) => String(sk).startsWith('GROUP#'))).toEqual([
      key.sk,
    ]);
  });

  it('are none of those that others keep of the same cluster', async () => {
    const cluster = freshCluster();
    const drain = { pk: partitionOf(cluster), sk: 'DRAIN#n1', anything: 1 };
    await items.send(new PutCommand({ TableName: table, Item: drain }));
    expect(await open().load(cluster)).toEqual({ version: 0, state: EMPTY_STATE, intents: [] });
    await open().commit(cluster, commitOf(0));
    await open().commit(cluster, commitOf(1));
    expect(await itemsOf(cluster)).toContainEqual(drain);
  });

  it('are written without what does not fit when the state is too large', async () => {
    const store = open();
    const cluster = freshCluster();
    const unneededSince = Object.fromEntries(Array.from({ length: 150_000 }, () => [randomUUID(), NOON]));
    const repairBackoff = { [groupName('web')]: NOON };
    const state = stateAt(NOON, { unneededSince, repairBackoff });
    expect(await store.commit(cluster, commitOf(0, { state }))).toEqual({ kind: 'committed', version: 1 });
    const { state: kept } = await open().load(cluster);
    expect(Object.keys(kept.unneededSince).length).toBeLessThan(150_000);
    expect(kept.repairBackoff).toEqual(repairBackoff);
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
    expect(await store.claimIntent(cluster, ids[0], { now: NOON, until: after(60) })).toBeNull();
    expect(await store.claimIntent(cluster, ids[1], { now: NOON, until: after(60) })).not.toBeNull();
    await store.endIntent(cluster, ids[1], { status: 'done', outcome: null });
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
    await store.commit(cluster, commitOf(0, { intents: [intentOf(0, 'web'), intentOf(0, 'api')] }));
    const alien = { ...intentsKey(cluster, '0-api'), version: 1, ...attributes };
    await items.send(new PutCommand({ TableName: table, Item: alien }));
    expect(await store.load(cluster)).toEqual({ version: 1, state: stateAt(NOON), intents: [intentOf(0, 'web')] });
    expect(quarantined.map(({ place }) => place)).toEqual([alien.sk]);
    await store.commit(cluster, commitOf(1, { settled: ['0-web', '0-api'] }));
    expect(await itemsOf(cluster)).toContainEqual(alien);
  });

  it.each([
    ['of no format', { schema: 'two' }, 3],
    ['of a format that never was', { schema: 0 }, 3],
    ['with a document that is no JSON', { document: { encoding: 'json', body: '{' } }, 3],
    ['with a document that is no gzip', { document: { encoding: 'gzip', body: new Uint8Array([1, 2]) } }, 3],
    ['with a part of another type', { document: { encoding: 'json', body: '{"groups":[]}' } }, 3],
    ['without a version', { version: 'three' }, 0],
  ])(
    'as a state %s costs the cluster’s times, and is kept beside the state that replaces it',
    async (_, broken, version) => {
      const { store, quarantined } = openWatched();
      const cluster = freshCluster();
      const repairBackoff = { [groupName('web')]: NOON };
      for (let v = 0; v < 3; v++) {
        await store.commit(cluster, commitOf(v, { state: stateAt(NOON, { repairBackoff }) }));
      }
      const Item = await alter(stateKey(cluster), broken);

      expect(await store.load(cluster)).toEqual({ version, state: { ...EMPTY_STATE, repairBackoff }, intents: [] });
      expect(quarantined).toMatchObject([{ cluster, place: 'STATE' }]);
      expect(await itemsOf(cluster)).toContainEqual(Item);

      expect(await store.commit(cluster, commitOf(version))).toMatchObject({ kind: 'committed' });
      expect(await open().load(cluster)).toEqual({ version: version + 1, state: stateAt(after(version)), intents: [] });
      const kept = (await itemsOf(cluster)).find(({ sk }) => sk === `UNREADABLE#STATE#${version}`);
      expect(kept).toMatchObject({ ...broken, ttl: expect.any(Number) as number });
      expect(await store.commit(cluster, commitOf(version + 1))).toMatchObject({ kind: 'committed' });
    },
  );

  /** Two groups that share an item, and a third one in another item. */
  const [web, api, other] = ['group-0', 'group-3', 'group-1'].map(groupName) as [GroupName, GroupName, GroupName];
  const threeGroups = stateAt(NOON, { repairBackoff: { [web]: NOON, [other]: NOON, [api]: NOON } });
  const webKey = (cluster: ClusterName) => ({ pk: partitionOf(cluster), sk: slotOf('GROUP', web) });

  it('as one group costs that group’s memory alone, and is kept beside what replaces it', async () => {
    expect([slotOf('GROUP', api), slotOf('GROUP', other)].map((sk) => sk === slotOf('GROUP', web))).toEqual([
      true,
      false,
    ]);
    const { store, quarantined } = openWatched();
    const cluster = freshCluster();
    await store.commit(cluster, commitOf(0, { state: threeGroups }));
    const body = JSON.stringify({ [web]: { backoff: 'for ever' }, [api]: { repairBackoff: NOON } });
    const Item = await alter(webKey(cluster), { document: { encoding: 'json', body } });
    const left = stateAt(NOON, { repairBackoff: { [other]: NOON, [api]: NOON } });

    expect(await store.load(cluster)).toEqual({ version: 1, state: left, intents: [] });
    const place = `${String(Item['sk'])} document.${web}`;
    expect(quarantined).toMatchObject([{ cluster, place, reason: expect.stringContaining('backoff: ') as string }]);
    expect(await itemsOf(cluster)).toContainEqual(Item);

    expect(await store.commit(cluster, commitOf(1, { state: left }))).toMatchObject({ kind: 'committed' });
    expect(await open().load(cluster)).toEqual({ version: 2, state: left, intents: [] });
    expect((await itemsOf(cluster)).find(({ sk }) => sk === `UNREADABLE#${String(Item['sk'])}#1`)).toMatchObject({
      document: { body },
      ttl: expect.any(Number) as number,
    });
  });

  it.each([
    ['that is no JSON', { encoding: 'json', body: '{' }],
    ['that is no record', { encoding: 'json', body: '[]' }],
    ['that is no document', 'gone'],
  ])('as a slot with something %s costs what it holds and no more', async (_, document) => {
    const { store, quarantined } = openWatched();
    const cluster = freshCluster();
    await store.commit(cluster, commitOf(0, { state: threeGroups }));
    await alter(webKey(cluster), { document });
    const left = stateAt(NOON, { repairBackoff: { [other]: NOON } });
    expect(await store.load(cluster)).toEqual({ version: 1, state: left, intents: [] });
    expect(quarantined).toMatchObject([{ cluster, place: webKey(cluster).sk }]);
    expect(await store.commit(cluster, commitOf(1, { state: left }))).toMatchObject({ kind: 'committed' });
    expect(await open().load(cluster)).toEqual({ version: 2, state: left, intents: [] });
  });

  it('as an evicted pod costs that pod alone', async () => {
    const { store, quarantined } = openWatched();
    const cluster = freshCluster();
    const state = stateAt(NOON, { recentEvictions: [pod('good')] });
    await store.commit(cluster, commitOf(0, { state }));
    const body = JSON.stringify({
      'default/good': { recentEvictions: [pod('good')] },
      'default/bad': { recentEvictions: [{ name: 'of another shape' }] },
    });
    const sk = slotOf('EVICTED', 'default/good');
    await alter({ pk: partitionOf(cluster), sk }, { document: { encoding: 'json', body } });
    expect((await store.load(cluster)).state).toEqual(state);
    expect(quarantined).toMatchObject([{ place: `${sk} document.default/bad` }]);
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
    await alter({ pk: partitionOf(cluster), sk: 'STATE' }, { updatedAt: 2n ** 60n });
    expect((await store.load(cluster)).intents).toEqual([intentOf(0, 'web')]);
    expect(quarantined).toEqual([]);
  });
});

describe('an item of a newer version', () => {
  const state = stateAt(NOON, { repairBackoff: { [groupName('web')]: NOON } });

  it.each([
    ['state', 'STATE', { ...EMPTY_STATE, repairBackoff: state.repairBackoff }],
    ['slot', slotOf('GROUP', 'web'), stateAt(NOON)],
  ])('as a %s is reported, and nothing is written until that version is back', async (_, sk, readable) => {
    const { store, quarantined } = openWatched();
    const cluster = freshCluster();
    await store.commit(cluster, commitOf(0, { state, intents: [intentOf(0, 'web')] }));
    await alter({ pk: partitionOf(cluster), sk }, { schema: 9 });
    const before = await itemsOf(cluster);
    expect(await store.load(cluster)).toEqual({ version: 1, state: readable, intents: [intentOf(0, 'web')] });
    expect(quarantined).toMatchObject([{ place: sk, reason: expect.stringContaining('format 9') as string }]);
    for (const any of [store, openWatched().store]) {
      await expect(any.commit(cluster, commitOf(1))).rejects.toThrow(
        `nothing is written, because ${sk} was written in format 9 by a newer version`,
      );
    }
    expect(await itemsOf(cluster)).toEqual(before);
  });
});

describe('a cluster that version 0.1 has left, one document for the whole state', () => {
  const cluster = clusterName('old');
  const { promised: reservations, ...recordedFields } = recorded.state;
  const recordedState = {
    ...EMPTY_STATE,
    ...recordedFields,
    reservations,
    // A controller that was stored without its API version has none.
    recentEvictions: recorded.state.recentEvictions.map((evicted) => ({
      ...evicted,
      controller: { apiVersion: '', ...evicted.controller },
    })),
  };
  const restore = async () => {
    for (const { pk, sk } of (await itemsOf(cluster)) as { pk: string; sk: string }[]) {
      await items.send(new DeleteCommand({ TableName: table, Key: { pk, sk } }));
    }
    for (const Item of recorded.items) {
      await items.send(new PutCommand({ TableName: table, Item }));
    }
  };
  const intents = ['1-web-b', '2-web-b'].map((id) => intentOf(Number(id[0]), 'web-b', { drained: [] }));

  it('is loaded as it was, and stays as it is until the next commit', async () => {
    await restore();
    const before = await itemsOf(cluster);
    expect(await open().load(cluster)).toEqual({ version: 2, state: recordedState, intents });
    expect(await itemsOf(cluster)).toEqual(before);
  });

  it('is in slots from the next commit on, of a state that has changed or has not', async () => {
    for (const changed of [{}, { unneededSince: {} }]) {
      await restore();
      const { version, state } = await open().load(cluster);
      const next = { ...state, ...changed };
      expect(await open().commit(cluster, commitOf(version, { state: next, settled: ['1-web-b'] }))).toEqual({
        kind: 'committed',
        version: 3,
      });
      expect(await open().load(cluster)).toEqual({ version: 3, state: next, intents: [intents[1]] });
      const stored = (await itemsOf(cluster)).find(({ sk }) => sk === 'STATE')!;
      expect(JSON.parse((stored['document'] as { body: string }).body)).toEqual({
        lastEvaluation: NOON,
        lastScaleUp: NOON,
        lastScaleDownDelete: null,
        lastScaleDownFailure: after(5),
      });
    }
  });

  it('has its intents claimed and ended before that, and after', async () => {
    await restore();
    expect(await open().claimIntent(cluster, '1-web-b', { now: NOON, until: after(60) })).not.toBeNull();
    await open().commit(cluster, commitOf(2));
    await open().endIntent(cluster, '1-web-b', { status: 'done', outcome: null });
    expect(await open().claimIntent(cluster, '2-web-b', { now: NOON, until: after(60) })).not.toBeNull();
    expect((await open().load(cluster)).intents.map(({ id, status }) => [id, status])).toEqual([
      ['1-web-b', 'done'],
      ['2-web-b', 'pending'],
    ]);
  });

  it('and has taken over again: its document counts, not the slots of the version after it', async () => {
    await restore();
    await open().commit(
      cluster,
      commitOf(2, { state: stateAt(NOON, { repairBackoff: { [groupName('new')]: NOON } }) }),
    );
    for (const Item of recorded.items) {
      await items.send(new PutCommand({ TableName: table, Item }));
    }
    expect((await open().load(cluster)).state).toEqual(recordedState);
    await open().commit(cluster, commitOf(2));
    expect((await open().load(cluster)).state).toEqual(stateAt(after(2)));
    expect((await itemsOf(cluster)).map(({ sk }) => sk)).not.toContain(slotOf('GROUP', 'new'));
  });
});

describe('half a transaction', () => {
  it('is read again until the rest is there', async () => {
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
    const quarantined: QuarantinedItem[] = [];
    const store = createDynamoDbStore({ client: blind, table, onQuarantine: (q) => quarantined.push(q) });
    expect(await store.load(cluster)).toEqual({ version: 1, state: stateAt(NOON), intents: [] });
    expect(quarantined).toEqual([
      { cluster, place: intentsKey(cluster, '0-web').sk, reason: 'expected as version 1 wrote it, found nothing' },
    ]);
    blind.destroy();
  });

  it('does not show what is gone', async () => {
    const cluster = freshCluster();
    const store = open();
    const state = stateAt(NOON, { repairBackoff: { [groupName('web')]: NOON } });
    await store.commit(cluster, commitOf(0, { intents: [intentOf(0, 'web')], state }));
    await store.endIntent(cluster, '0-web', { status: 'done', outcome: null });
    const before = (await itemsOf(cluster)).filter(({ sk }) => sk !== 'STATE');
    await store.commit(cluster, commitOf(1, { settled: ['0-web'] }));
    for (const Item of before) {
      await items.send(new PutCommand({ TableName: table, Item }));
    }
    expect(await open().load(cluster)).toEqual({ version: 2, state: stateAt(after(1)), intents: [] });
  });

  it('of one slot and another is never mixed', async () => {
    const cluster = freshCluster();
    const groups = ['group-0', 'group-1', 'group-2'].map(groupName);
    const stateOf = (n: number) =>
      stateAt(after(n), { repairBackoff: Object.fromEntries(groups.map((group) => [group, after(n)])) });
    await open().commit(cluster, commitOf(0, { state: stateOf(0) }));
    const old = (await itemsOf(cluster)).find(({ sk }) => sk === slotOf('GROUP', groups[1]!))!;
    await open().commit(cluster, commitOf(1, { state: stateOf(1) }));
    let torn = 2;
    const hasty = clientThat((output) => {
      const answer = output as { Items?: Record<string, unknown>[] };
      if (torn-- > 0) {
        answer.Items = answer.Items?.map((item) => (item['sk'] === old['sk'] ? old : item)) ?? [];
      }
    });
    expect(await open(hasty).load(cluster)).toEqual({ version: 2, state: stateOf(1), intents: [] });
    expect(torn).toBeLessThan(0);
    hasty.destroy();
  });

  it('is not what a commit is compared with: a state that came back from a backup is another one', async () => {
    const cluster = freshCluster();
    const store = open();
    await store.commit(cluster, commitOf(0));
    const backup = await itemsOf(cluster);
    await store.commit(cluster, commitOf(1));
    // Put back to version 1, from which another process has gone on to a version 2 of its own.
    for (const Item of backup) {
      await items.send(new PutCommand({ TableName: table, Item }));
    }
    await open().commit(cluster, commitOf(1, { state: stateAt(after(77)) }));
    expect(await store.commit(cluster, commitOf(2))).toEqual({ kind: 'conflict' });
    expect((await store.load(cluster)).state).toEqual(stateAt(after(77)));
  });
});

describe('an answer that is lost on the way', () => {
  it('to a commit does not make it a conflict, nor two commits', async () => {
    const cluster = freshCluster();
    const losing = clientThatLosesAnAnswer();
    const store = open(losing.client);
    await store.load(cluster);
    losing.begin();
    expect(await store.commit(cluster, commitOf(0, { intents: [intentOf(0, 'web')] }))).toEqual({
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
    const store = open(losing.client);
    await store.load(cluster);
    losing.begin();
    expect(await store.commit(cluster, commitOf(0))).toEqual({ kind: 'committed', version: 1 });
    expect(losing.lost()).toBe(1);
    expect((await open().load(cluster)).version).toBe(1);
  });

  it('to a claim leaves the intent with its claimant, claimed once', async () => {
    const cluster = freshCluster();
    await open().commit(cluster, commitOf(0, { intents: [intentOf(0, 'web')] }));
    const losing = clientThatLosesAnAnswer();
    losing.begin();
    expect(await open(losing.client).claimIntent(cluster, '0-web', { now: NOON, until: after(60) })).toEqual(
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
    const busy = clientThatFails(3, cancelled, /^TransactWrite/);
    expect(await open(busy.client).commit(cluster, commitOf(0, { intents: [intentOf(0, 'web')] }))).toEqual({
      kind: 'committed',
      version: 1,
    });
    const busyClaim = clientThatFails(3, conflict);
    expect(await open(busyClaim.client).claimIntent(cluster, '0-web', { now: NOON, until: after(60) })).not.toBeNull();
    const busyEnd = clientThatFails(3, conflict);
    await open(busyEnd.client).endIntent(cluster, '0-web', { status: 'done', outcome: null });
    expect((await open().load(cluster)).intents).toEqual([
      intentOf(0, 'web', { status: 'done', claimedUntil: after(60), attempts: 1 }),
    ]);
    expect([busy.failed(), busyClaim.failed(), busyEnd.failed()]).toEqual([3, 3, 3]);
  });

  it('that does not end is an error, not a conflict', async () => {
    const cluster = freshCluster();
    const busy = clientThatFails(Number.POSITIVE_INFINITY, cancelled, /^TransactWrite/);
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

/** From `begin` on, the first answer does not arrive; `beforeAgain` may change the input of the SDK's second try. */
function clientThatLosesAnAnswer(beforeAgain?: (input: object) => void) {
  const own = createDynamoDbClient({ endpoint });
  let begun = false;
  let lost = 0;
  own.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      if (begun && lost === 0) {
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
  return {
    client: own,
    begin: () => {
      begun = true;
    },
    lost: () => lost,
  };
}

/** Answers this many of the first calls with an error of the server's, without asking it. */
function clientThatFails(times: number, error: () => Error, calls = /./) {
  const own = createDynamoDbClient({ endpoint });
  let failed = 0;
  own.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        if (failed < times && calls.test(commandName ?? '')) {
          failed++;
          throw error();
        }
        return await next(args);
      },
    { step: 'initialize', priority: 'high' },
  );
  return { client: own, failed: () => failed };
}

/** A client of a function that dies at the call with this number: later calls have no effect. */
function clientThatDies(call: number, when: When) {
  const own = createDynamoDbClient({ endpoint });
  let calls = 0;
  let dead = false;
  own.middlewareStack.add(
    (next) => async (args) => {
      dead ||= when === 'before' && calls === call;
      if (dead) {
        throw new Error('killed');
      }
      const result = await next(args);
      dead = calls++ === call;
      if (dead) {
        throw new Error('killed');
      }
      return result;
    },
    { step: 'initialize', priority: 'high' },
  );
  return { client: own, died: () => dead };
}

describe('the history of decisions in DynamoDB', () => {
  const openHistory = () =>
    createDynamoDbHistory({
      client,
      table,
      onUnreadable: (problem) => {
        throw new Error(`unexpected: ${JSON.stringify(problem)}`);
      },
    });

  decisionHistoryContract(openHistory);

  it('is read by no evaluation, and expires', async () => {
    const cluster = freshCluster();
    const given = { ...scenario({ groups: [group('a')], objects: { pods: [pod('p')] } }), now: NOON };
    await openHistory().add(cluster, { version: 1, scenario: given, decision: evaluateScaleUp(given) });
    const stored = await itemsOf(cluster);
    expect(stored.map(({ sk, ttl }) => [sk, ttl])).toEqual([
      ['DECIDED#000000000001', after(7 * 86_400_000) / 1_000],
      [`DECIDED-BYTES#${NOON / 3_600_000}`, after(7 * 86_400_000) / 1_000],
      ['DECIDED-FROM#000000000001', after(7 * 86_400_000) / 1_000],
    ]);
    for (const { sk } of stored) {
      expect(String(sk) < FIRST_LOADED).toBe(true);
    }
  });

  it('reports an item that cannot be read, and leaves it out', async () => {
    const cluster = freshCluster();
    const given = { ...scenario({ groups: [group('a')], objects: { pods: [pod('p')] } }), now: NOON };
    const problems: unknown[] = [];
    const history = createDynamoDbHistory({ client, table, onUnreadable: (problem) => problems.push(problem) });
    await history.add(cluster, { version: 1, scenario: given, decision: evaluateScaleUp(given) });
    await alter({ pk: partitionOf(cluster), sk: 'DECIDED#000000000001' }, { kind: 'sideways' });
    expect(await history.list(cluster, {})).toEqual([]);
    expect(await history.get(cluster, '1')).toBeNull();
    expect(problems).toEqual([
      { key: 'DECIDED#000000000001', problem: expect.stringContaining('kind') },
      { key: 'DECIDED#000000000001', problem: expect.stringContaining('kind') },
    ]);
  });
});

describe('notices in DynamoDB', () => {
  noticeInboxContract(() =>
    createDynamoDbInbox({
      client,
      table,
      onUnreadable: (problem) => {
        throw new Error(`unexpected: ${JSON.stringify(problem)}`);
      },
    }),
  );

  const notice = {
    instance: instanceId('i-0a'),
    group: groupName('spot'),
    kind: 'SpotInterruption',
    receivedAt: NOON,
    endsAt: after(120_000),
    hook: null,
  } as const;

  it('expire a quarter of an hour after their end, or two days after they came, also while the table still has them', async () => {
    const cluster = freshCluster();
    const past = epochMs(Date.now() - minutes(20));
    // DynamoDB Local deletes within ten seconds what has expired: not from this table.
    const lasting = `outrigger-${randomUUID()}`;
    await ensureTable(client, lasting);
    const TimeToLiveSpecification = { AttributeName: 'ttl', Enabled: false };
    await client.send(new UpdateTimeToLiveCommand({ TableName: lasting, TimeToLiveSpecification }));
    const store = createDynamoDbStore({ client, table: lasting, onQuarantine: failOnQuarantine });
    await store.addNotice(cluster, { ...notice, receivedAt: past, endsAt: epochMs(past + minutes(2)) });
    await store.addNotice(cluster, { ...notice, instance: instanceId('i-0b'), receivedAt: past, endsAt: null });
    const kept = (await itemsOf(cluster, lasting)).map(({ ttl }) => Number(ttl) - Math.floor(past / 1_000));
    expect(kept).toEqual([17 * 60, 48 * 3_600]);
    expect((await store.load(cluster)).notices?.map(({ instance }) => instance)).toEqual(['i-0b']);
  });

  it('that cannot be read are reported, and the others are there', async () => {
    const cluster = freshCluster();
    await open().addNotice(cluster, notice);
    const [item] = await itemsOf(cluster);
    await alter(
      { pk: String(item!['pk']), sk: 'NOTICE#i-0b#0' },
      { pk: item!['pk'], sk: 'NOTICE#i-0b#0', notice: { ...notice, kind: 'OfALaterVersion' } },
    );
    const { store, quarantined } = openWatched();
    expect((await store.load(cluster)).notices).toEqual([notice]);
    expect(quarantined).toEqual([{ cluster, place: 'NOTICE#i-0b#0 notice', reason: expect.stringContaining('kind') }]);
  });

  it('cost nothing to read where there are none: events that have arrived are not loaded', async () => {
    const cluster = freshCluster();
    const inbox = createDynamoDbInbox({ client, table, onUnreadable: () => {} });
    await inbox.add(cluster, { id: 'e', announcements: [notice] });
    expect(await open().load(cluster)).not.toHaveProperty('notices');
  });
});
