import { randomUUID } from 'node:crypto';
import { DynamoDBDocumentClient, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { clusterName } from '../../core/model/values/names.ts';
import { createDynamoDbClient } from '../../providers/dynamodb/client.ts';
import { createDynamoDbDrains } from '../../providers/dynamodb/drains.ts';
import { partitionOf } from '../../core/model/table-keys.ts';
import { ensureTable } from '../../providers/dynamodb/table.ts';
import { drainOf, drainStoreContract } from '../providers/drain-store.contract.ts';
import { NOON } from '../providers/state-store.contract.ts';
import { NOW } from '../scenario-builders.ts';
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

drainStoreContract(() =>
  createDynamoDbDrains({
    client,
    table,
    onUnreadable: (problem) => {
      throw new Error(`unexpected: ${JSON.stringify(problem)}`);
    },
  }),
);

it('goes on without a drain that it cannot read, and says which', async () => {
  const problems: { readonly key: string; readonly problem: string }[] = [];
  const store = createDynamoDbDrains({ client, table, onUnreadable: (problem) => problems.push(problem) });
  const cluster = clusterName(`drains-${randomUUID()}`);
  for (const node of ['n1', 'n2']) {
    await store.create(cluster, { drain: drainOf(node), attempt: 1, drivenUntil: NOW });
  }
  await items.send(
    new UpdateCommand({
      TableName: table,
      Key: { pk: partitionOf(cluster), sk: 'DRAIN#7-a/n1' },
      UpdateExpression: 'SET #schema = :newer',
      ExpressionAttributeNames: { '#schema': 'schema' },
      ExpressionAttributeValues: { ':newer': 99 },
    }),
  );
  expect((await store.list(cluster)).map(({ drain }) => drain.node)).toEqual(['n2']);
  expect(problems).toEqual([{ key: 'DRAIN#7-a/n1', problem: expect.stringContaining('schema') }]);
});

it('lets go of ended drains by itself after a week', async () => {
  const store = createDynamoDbDrains({ client, table, onUnreadable: () => {} });
  const cluster = clusterName(`drains-${randomUUID()}`);
  await store.create(cluster, { drain: drainOf('n1'), attempt: 1, drivenUntil: NOW });
  await store.create(cluster, {
    drain: drainOf('n2', { phase: 'RolledBack', phaseSince: NOON }),
    attempt: 1,
    drivenUntil: NOW,
  });
  const { Items } = await items.send(
    new QueryCommand({
      TableName: table,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': partitionOf(cluster) },
    }),
  );
  expect(Items!.map(({ sk, ttl }) => [sk, ttl])).toEqual([
    ['DRAIN#7-a/n1', undefined],
    ['DRAIN#7-a/n2', NOON / 1_000 + 7 * 24 * 3_600],
  ]);
});
