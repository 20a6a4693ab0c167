import { describe, expect, it } from 'vitest';
import { newDrain } from '../../../core/drain/new-drain.ts';
import { clusterName, groupName, instanceId, nodeName } from '../../../core/model/values/names.ts';
import { addTime, epochMs, seconds } from '../../../core/model/values/time.ts';
import { createDynamoDbDrains } from '../../../providers/dynamodb/drains.ts';
import { createDynamoDbStore } from '../../../providers/dynamodb/store.ts';
import { NOW } from '../../scenario-builders.ts';
import { commitOf, intentOf } from '../state-store.contract.ts';
import { type Answer, type Command, tableServer } from './table-server.ts';

const WEB = clusterName('web');
const DRAIN = newDrain(
  { id: '7-a', group: groupName('a') },
  { node: nodeName('n1'), uid: 'u', instance: instanceId('i'), kind: 'drain' },
  NOW,
);
const CHANGE = { drain: DRAIN, attempt: 1, drivenUntil: NOW };

async function table(answer?: (command: Command, number: number) => Answer) {
  const { client, commands } = await tableServer(answer);
  return {
    commands,
    store: createDynamoDbStore({ client, table: 't', onQuarantine: () => {} }),
    drains: createDynamoDbDrains({ client, table: 't', onUnreadable: () => {} }),
  };
}

/** A table that holds what the last transaction put there, as far as loads are concerned. */
function remembering(): (command: Command) => Answer {
  const items = new Map<string, unknown>();
  return ({ name, input }) => {
    for (const { Put } of name === 'TransactWriteItems' ? input.TransactItems : []) {
      if (Put !== undefined && !String(Put.Item.sk.S).startsWith('DECISION#')) {
        items.set(Put.Item.sk.S, Put.Item);
      }
    }
    return name === 'Query' ? { Items: [...items].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item) } : {};
  };
}

const transactions = (commands: readonly Command[]) =>
  commands.filter(({ name }) => name === 'TransactWriteItems').map(({ input }) => input.TransactItems);

describe('what is read', () => {
  it('is consistent: a decision made from an older state would buy again what was bought', async () => {
    const { store, drains, commands } = await table();
    await store.load(WEB);
    await store.pendingIntents(WEB);
    await store.lastDecision(WEB);
    await drains.list(WEB);
    await drains.load(WEB, DRAIN.id);
    expect(commands.map(({ name, input }) => [name, input.ConsistentRead])).toEqual([
      ['Query', true],
      ['Query', true],
      ['Query', true],
      ['Query', true],
      ['GetItem', true],
    ]);
  });
});

describe('a commit', () => {
  it('of a new cluster stands on there being none yet', async () => {
    const { store, commands } = await table();
    expect(await store.commit(WEB, commitOf(0))).toEqual({ kind: 'committed', version: 1 });
    const [[state]] = transactions(commands);
    expect(state.Put.ConditionExpression).toBe(
      'attribute_not_exists(#version) OR NOT attribute_type(#version, :number) OR #version = :version',
    );
    expect(state.Put.ReturnValuesOnConditionCheckFailure).toBe('ALL_OLD');
  });

  it('stands on the version and the very token that were loaded', async () => {
    const { store, commands } = await table(remembering());
    await store.commit(WEB, commitOf(0));
    await store.load(WEB);
    await store.commit(WEB, commitOf(1));
    const [[first], [second]] = transactions(commands);
    expect(second.Put.ConditionExpression).toBe(
      'attribute_type(#version, :number) AND #version = :version AND #token = :token',
    );
    expect(second.Put.ExpressionAttributeNames).toEqual({ '#version': 'version', '#token': 'token' });
    expect(second.Put.ExpressionAttributeValues).toEqual({
      ':version': { N: '1' },
      ':number': { S: 'N' },
      ':token': first.Put.Item.token,
    });
    expect(second.Put.Item.token).not.toEqual(first.Put.Item.token);
  });

  const refusedBy =
    (token: (own: string) => string) =>
    (command: Command): Answer => {
      if (command.name !== 'TransactWriteItems') {
        return {};
      }
      const [{ Put }] = command.input.TransactItems;
      const item = { token: { S: token(Put.Item.token.S) } };
      const reasons = command.input.TransactItems.map((_: unknown, index: number) =>
        index === 0 ? { Code: 'ConditionalCheckFailed', Item: item } : { Code: 'None' },
      );
      return { error: 'TransactionCanceledException', CancellationReasons: reasons };
    };

  it('is a conflict where another token stands there', async () => {
    const { store } = await table(refusedBy(() => 'another'));
    expect(await store.commit(WEB, commitOf(0))).toEqual({ kind: 'conflict' });
  });

  it('has succeeded where its own token stands there: the answer to its first try was lost', async () => {
    const { store } = await table(refusedBy((own) => own));
    expect(await store.commit(WEB, commitOf(0))).toEqual({ kind: 'committed', version: 1 });
  });

  it('never replaces intents', async () => {
    const { store, commands } = await table();
    await store.commit(WEB, commitOf(0, { intents: [intentOf(1, 'a'), intentOf(1, 'b')] }));
    const conditions = (transactions(commands)[0] as readonly Command['input'][])
      .slice(1)
      .map(({ Put }) => `${Put.Item.sk.S.split('#')[0]} ${Put.ConditionExpression}`);
    expect(new Set(conditions)).toEqual(new Set(['INTENT attribute_not_exists(pk)', 'DECISION undefined']));
  });

  it('keeps its decision for a week, in seconds', async () => {
    const { store, commands } = await table();
    await store.commit(WEB, commitOf(0));
    const items = (transactions(commands)[0] as readonly Command['input'][]).map(({ Put }) => Put.Item);
    const decision = items.find(({ sk }) => sk.S.startsWith('DECISION#'));
    expect(Number(decision.ttl.N) - 7 * 24 * 60 * 60).toBeCloseTo(commitOf(0).now / 1_000, -1);
  });

  it.each(['ProvisionedThroughputExceeded', 'ThrottlingError', 'TransactionConflict'])(
    'is tried again after %s, as the same request',
    async (Code) => {
      const { store, commands } = await table(({ name, input }, number) =>
        name === 'TransactWriteItems' && number < 4
          ? { error: 'TransactionCanceledException', CancellationReasons: input.TransactItems.map(() => ({ Code })) }
          : {},
      );
      expect(await store.commit(WEB, commitOf(0))).toEqual({ kind: 'committed', version: 1 });
      const tries = commands.filter(({ name }) => name === 'TransactWriteItems');
      expect(tries.length).toBeGreaterThan(1);
      expect(new Set(tries.map(({ input }) => input.ClientRequestToken)).size).toBe(1);
    },
  );

  it('takes settled intents out of their item one by one, and the item only with the last', async () => {
    const { store, commands } = await table(remembering());
    // Both of one item.
    const intents = [intentOf(1, 'a'), intentOf(1, 'b'), intentOf(1, 'c'), intentOf(1, 'd'), intentOf(1, 'e')];
    const held = new Map<string, string[]>();
    await store.commit(WEB, commitOf(0, { intents }));
    for (const { Put } of transactions(commands)[0]) {
      if (Put?.Item.sk.S.startsWith('INTENT#')) {
        held.set(Put.Item.sk.S, Object.keys(Put.Item.intents.M));
      }
    }
    const [shared, ids] = [...held].find(([, of]) => of.length > 1)!;
    await store.load(WEB);
    await store.commit(WEB, commitOf(1, { settled: [ids[0]!] }));
    const ofItem = (transaction: readonly Command['input'][]) =>
      transaction.flatMap((change) => ((change.Update ?? change.Delete)?.Key.sk.S === shared ? [change] : []));
    const [one] = ofItem(transactions(commands)[1]);
    expect(Object.values(one.Update.ExpressionAttributeNames)).toContain(ids[0]);
    expect(Object.values(one.Update.ExpressionAttributeNames)).not.toContain(ids[1]);
    // An item that is gone would otherwise be made anew, with nothing in it but a version.
    expect(one.Update.ConditionExpression).toBe('attribute_exists(pk)');
    await store.commit(WEB, commitOf(2, { settled: ids }));
    expect(Object.keys(ofItem(transactions(commands)[2])[0])).toEqual(['Delete']);
  });
});

describe('a claim of an intent', () => {
  it('stands on there being none that has not run out', async () => {
    const { store, commands } = await table();
    const until = addTime(NOW, seconds(60));
    await store.claimIntent(WEB, '1-a', { now: NOW, until }).catch(() => null);
    const { ConditionExpression, ExpressionAttributeValues } = commands[0]!.input;
    expect(ConditionExpression).toBe(
      '#schema = :schema AND intents.#id.#status = :pending AND ' +
        '(attribute_type(intents.#id.claimedUntil, :null) OR intents.#id.claimedUntil <= :now)',
    );
    expect(ExpressionAttributeValues).toMatchObject({ ':now': { N: `${NOW}` }, ':until': { N: `${until}` } });
  });

  it('whose own answer was lost is read back as it is now', async () => {
    let me: unknown;
    const { store, commands } = await table(({ name, input }) => {
      me ??= input.ExpressionAttributeValues?.[':me'];
      const Item = { intents: { M: { '1-a': { M: { claimedBy: me } } } } };
      return name === 'UpdateItem' ? { error: 'ConditionalCheckFailedException', Item } : {};
    });
    await store.claimIntent(WEB, '1-a', { now: NOW, until: addTime(NOW, seconds(60)) });
    expect(commands.map(({ name, input }) => [name, input.ConsistentRead])).toEqual([
      ['UpdateItem', undefined],
      ['GetItem', true],
    ]);
  });

  it('is given up only while it is that very claim', async () => {
    const { store, commands } = await table();
    await store.releaseIntent(WEB, '1-a', NOW);
    expect(commands[0]!.input).toMatchObject({
      ConditionExpression: expect.stringContaining('intents.#id.claimedUntil = :until') as string,
      ExpressionAttributeValues: { ':until': { N: `${NOW}` } },
    });
  });
});

describe('a drain', () => {
  it('is created only where there is none', async () => {
    const { drains, commands } = await table();
    await drains.create(WEB, CHANGE);
    expect(commands[0]!.input).toMatchObject({
      Item: { sk: { S: 'DRAIN#7-a/n1' }, revision: { N: '1' } },
      ConditionExpression: 'attribute_not_exists(pk)',
    });
  });

  it('is changed only from the revision that was read', async () => {
    const { drains, commands } = await table();
    await drains.save(WEB, CHANGE, 4);
    expect(commands[0]!.input).toMatchObject({
      Item: { revision: { N: '5' } },
      ConditionExpression: '#revision = :revision',
      ExpressionAttributeNames: { '#revision': 'revision' },
      ExpressionAttributeValues: { ':revision': { N: '4' } },
    });
    expect(commands[0]!.input.Item.ttl).toBeUndefined();
  });

  it('that was changed by another driver stays as it is', async () => {
    const { drains } = await table(() => ({ error: 'ConditionalCheckFailedException' }));
    expect(await drains.save(WEB, CHANGE, 4)).toBeNull();
  });

  it('that has ended goes a week later, in seconds', async () => {
    const { drains, commands } = await table();
    const ended = { ...DRAIN, phase: 'Removed' as const, phaseSince: epochMs(1_767_268_800_999) };
    await drains.save(WEB, { ...CHANGE, drain: ended }, 1);
    expect(commands[0]!.input.Item.ttl).toEqual({ N: `${1_767_268_800 + 7 * 24 * 60 * 60}` });
  });
});
