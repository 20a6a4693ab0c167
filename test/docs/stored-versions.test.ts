/**
 * Items that a version has stored are read by each later one. `test/providers/dynamodb/recorded/version-<version>.json`
 * has the items of that version's table, as DynamoDB stores them, and what they say. To add one for the version of
 * `package.json`, before it is released:
 *
 *     OUTRIGGER_RECORD=1 npx vitest run --project unit test/docs/stored-versions.test.ts
 *
 * A recorded file is never written again: where a later version reads something otherwise on purpose, this test says so.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { evaluateScaleUp } from '../../core/evaluate.ts';
import type { Intent } from '../../core/model/intent.ts';
import { clusterName, groupName, instanceId, nodeName } from '../../core/model/values/names.ts';
import { createDynamoDbDrains } from '../../providers/dynamodb/drains.ts';
import { createDynamoDbHistory } from '../../providers/dynamodb/history.ts';
import { createDynamoDbInbox } from '../../providers/dynamodb/inbox.ts';
import { createDynamoDbStore } from '../../providers/dynamodb/store.ts';
import { FORMER_FIELDS, withPresentNames } from '../../providers/schema/former-names.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { pod } from '../builders.ts';
import { hostileTable, type HostileTable, type WireItem } from '../hostile/table.ts';
import { group, scenario, times } from '../scenario-builders.ts';
import { drainOf, richDrain } from '../providers/drain-store.contract.ts';
import { after, commitOf, FULL_STATE, intentOf, NOON } from '../providers/state-store.contract.ts';

interface Recorded {
  readonly items: readonly WireItem[];
  /** Content, as the version that wrote the items reads it. */
  readonly reads: object;
}

const WEB = clusterName('web');
const FOLDER = join(import.meta.dirname, '../providers/dynamodb/recorded');
const fileOf = (version: string): string => join(FOLDER, `version-${version}.json`);

/** Stores something of each kind. */
async function fill(table: HostileTable): Promise<void> {
  const { store, drains, inbox, history } = opened(table);
  const given = {
    ...scenario({
      groups: [group('web-a', { nodes: [] })],
      objects: { pods: times(3, (n) => pod(`p-${n}`, { requests: { cpu: 1 }, labels: { app: 'web' } })) },
    }),
    now: NOON,
  };
  const decision = { ...evaluateScaleUp(given), state: FULL_STATE };
  const common = { group: groupName('web-b'), createdAt: NOON, status: 'pending', attempts: 0 } as const;
  const intents: readonly Intent[] = [
    intentOf(1, 'web-a', { attempts: 2, claimedUntil: after(60_000) }),
    {
      ...common,
      id: '1-web-b',
      kind: 'DeleteInstances',
      instances: [instanceId('i-3')],
      force: true,
      claimedUntil: null,
      outcome: null,
    },
    {
      ...common,
      id: '1.1-web-b',
      kind: 'RemoveNodes',
      nodes: [{ node: nodeName('n5'), uid: 'uid-n5', instance: instanceId('i-5'), kind: 'drain', together: 2 }],
      claimedUntil: null,
      outcome: null,
    },
  ];
  await store.commit(WEB, commitOf(0, { state: FULL_STATE, decision, intents }));
  await store.addNotice(WEB, {
    kind: 'SpotInterruption',
    instance: instanceId('i-1'),
    group: groupName('web-a'),
    receivedAt: NOON,
    endsAt: after(120_000),
    hook: null,
  });
  await inbox.add(WEB, {
    id: 'event-1',
    announcements: [
      { kind: 'RebalanceRecommendation', instance: instanceId('i-2'), receivedAt: NOON, endsAt: null, hook: null },
    ],
  });
  for (const drain of [richDrain(), drainOf('n2', { phase: 'Evicting' })]) {
    await drains.create(WEB, { drain, attempt: 1, drivenUntil: NOON });
  }
  expect(await history.add(WEB, { version: 1, scenario: given, decision })).toMatchObject({ scenario: 'kept' });
}

function opened({ client }: HostileTable) {
  const onUnreadable = (problem: object): void => expect.unreachable(JSON.stringify(problem));
  const options = { client, table: 'outrigger', onUnreadable };
  return {
    store: createDynamoDbStore({ ...options, onQuarantine: onUnreadable }),
    drains: createDynamoDbDrains(options),
    inbox: createDynamoDbInbox(options),
    history: createDynamoDbHistory({ ...options, now: () => NOON }),
  };
}

/** All that can be read of the table. */
async function readAll(table: HostileTable): Promise<object> {
  const { store, drains, inbox, history } = opened(table);
  return {
    cluster: await store.load(WEB),
    pending: await store.pendingIntents(WEB),
    lastDecision: await store.lastDecision(WEB),
    drains: await drains.list(WEB),
    arrived: await inbox.list(WEB),
    decisions: await history.decisions(WEB, {}),
    record: await history.get(WEB, '1'),
  };
}

/** Fields that have other names since version 0.1.0. */
const RENAMED = {
  ...FORMER_FIELDS.scenario,
  ...FORMER_FIELDS.state,
  ...FORMER_FIELDS.unneededTime,
  ...FORMER_FIELDS.consolidationMoves,
};

if (process.env['OUTRIGGER_RECORD'] !== undefined) {
  const table = hostileTable();
  await fill(table);
  const recorded: Recorded = { items: table.items(), reads: await readAll(table) };
  writeFileSync(fileOf(packageJson.version), `${JSON.stringify(recorded, null, 2)}\n`, { flag: 'wx' });
}

const VERSIONS = readdirSync(FOLDER).flatMap((name) => /^version-(.*)\.json$/.exec(name)?.[1] ?? []);

it(`the stored items of the version of package.json, ${packageJson.version}, are recorded`, () => {
  expect(VERSIONS).toContain(packageJson.version);
});

describe.each(VERSIONS)('what version %s has stored', (version) => {
  const { items, reads: read } = JSON.parse(readFileSync(fileOf(version), 'utf8')) as Recorded;
  const reads: unknown = JSON.parse(JSON.stringify(read), (_, value: unknown) => withPresentNames(value, RENAMED));

  it('is read by this version: state, intents, notices, decisions, drains and history', async () => {
    // A later version may know more of each.
    expect(JSON.parse(JSON.stringify(await readAll(hostileTable(items))))).toMatchObject(reads as object);
  });

  it('is replaced by the next commit, and reads the same afterwards', async () => {
    const table = hostileTable(items);
    const { store } = opened(table);
    const before = await store.load(WEB);
    const { state, version: expectedVersion } = before;
    await store.commit(WEB, commitOf(expectedVersion, { state, decision: (await store.lastDecision(WEB))! }));
    expect(await opened(table).store.load(WEB)).toEqual({ ...before, version: expectedVersion + 1 });
  });
});
