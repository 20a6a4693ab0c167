import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { newDrain } from '../../../core/drain/new-drain.ts';
import type { Eviction } from '../../../core/model/drain.ts';
import { clusterName, groupName, instanceId, nodeName } from '../../../core/model/values/names.ts';
import { keyOf, type Pod } from '../../../core/model/cluster/pod.ts';
import { EMPTY_STATE } from '../../../core/model/state.ts';
import type { OnOmitted } from '../../../providers/dynamodb/access.ts';
import { createDynamoDbDrains } from '../../../providers/dynamodb/drains.ts';
import { rowsOf } from '../../../providers/dynamodb/rows.ts';
import { fittingSlots } from '../../../providers/dynamodb/fitting-slots.ts';
import { writeDrain } from '../../../providers/dynamodb/stored-drain.ts';
import { createDynamoDbStore } from '../../../providers/dynamodb/store.ts';
import { pod } from '../../builders.ts';
import { NOW } from '../../scenario-builders.ts';
import { commitOf, FULL_STATE } from '../state-store.contract.ts';
import { tableServer } from './table-server.ts';

const WEB = clusterName('web');
const ITEM_BYTES = 400 * 1024;
const TRANSACTION_BYTES = 4 * 1024 * 1024;

/** Text that does not compress, of hexadecimal digits. */
const noise = (seed: string, length: number): string => {
  let text = '';
  for (let part = 0; text.length < length; part += 1) {
    text += hash('sha256', `${seed} ${part}`);
  }
  return text.slice(0, length);
};

/** A pod with labels that an API server takes, of this many bytes in all. */
const podOf = (name: string, bytes: number, extra: Parameters<typeof pod>[1] = {}): Pod =>
  pod(name, {
    labels: Object.fromEntries(
      Array.from({ length: Math.ceil(bytes / 80) }, (_, n) => [`l${n}-${name}`, noise(`${name}${n}`, 63)]),
    ),
    ...extra,
  });

const pods = (count: number, bytes: number): readonly Pod[] =>
  Array.from({ length: count }, (_, n) => podOf(`web-${n}`, bytes));

async function committed(recentEvictions: readonly Pod[]) {
  const { client, commands } = await tableServer();
  const told: Parameters<OnOmitted>[0][] = [];
  const store = createDynamoDbStore({
    client,
    table: 't',
    onQuarantine: () => {},
    onOmitted: (omission) => told.push(omission),
  });
  const outcome = await store.commit(WEB, commitOf(0, { state: { ...FULL_STATE, recentEvictions } }));
  const [transaction] = commands.filter(({ name }) => name === 'TransactWriteItems');
  const items = transaction!.input.TransactItems.map((item: { Put: { Item: object } }) =>
    JSON.stringify(item.Put.Item),
  ) as readonly string[];
  return { outcome, told, items, bytes: transaction!.bytes };
}

describe('a state with more about evicted pods than fits', () => {
  it.each([
    [12, 251_000],
    [2, 901_000],
    [150, 30_000],
  ])('of %i pods of %i bytes is committed without some of them, and says without which', async (count, bytes) => {
    const { outcome, told, items, bytes: all } = await committed(pods(count, bytes));
    expect(outcome).toEqual({ kind: 'committed', version: 1 });
    // Base64 makes of 3 bytes 4.
    expect(Math.max(...items.map((item) => item.length))).toBeLessThan((ITEM_BYTES * 4) / 3);
    expect(all).toBeLessThan((TRANSACTION_BYTES * 4) / 3);
    expect(told.map(({ omitted }) => omitted.map(({ part }) => part))).toEqual([['recentEvictions']]);
    expect(told[0]!.omitted[0]!.names.length).toBeGreaterThan(0);
    expect(items.join('').length).toBeGreaterThan(count === 2 ? 0 : 300_000);
  });

  it('is committed whole where it fits', async () => {
    const { told } = await committed(pods(12, 61_000));
    expect(told).toEqual([]);
  });

  it('leaves out the same ones every time, and the largest first', async () => {
    const recentEvictions = [podOf('small', 100), ...pods(12, 251_000)];
    const [first, again] = await Promise.all(
      [recentEvictions, recentEvictions.toReversed()].map((evicted) =>
        fittingSlots(rowsOf({ ...EMPTY_STATE, recentEvictions: evicted })),
      ),
    );
    expect(again).toEqual(first);
    expect(first!.omitted[0]!.names).not.toContain('default/small');
  });

  it('keeps what is under way when reserved places alone are too many', async () => {
    const reserved = Array.from({ length: 30_000 }, (_, n) => ({ kind: noise(`kind ${n}`, 40), count: 1 }));
    const { texts, omitted } = await fittingSlots(
      rowsOf({ ...FULL_STATE, reservations: { ...FULL_STATE.reservations, [groupName('web-a')]: reserved } }),
    );
    expect(omitted.map(({ part, names }) => [part, names])).toEqual([
      ['reservedPacking', ['web-a']],
      ['reservations', ['web-a']],
    ]);
    expect([...texts.values()].join()).toContain('expectedAddTime');
  });
});

describe('a drain with more about evicted pods than fits', () => {
  const evictionOf = (manifest: Pod): Eviction => ({
    pod: keyOf(manifest),
    uid: manifest.uid,
    manifest,
    graceSeconds: 30,
    firstTriedAt: NOW,
    giveUpAt: NOW,
    evictedAt: NOW,
    goneAt: null,
    tries: 1,
    throttles: 0,
    nextTryAt: NOW,
    refusal: null,
  });
  const drainOf = (evicted: readonly Pod[]) => ({
    ...newDrain(
      { id: '7-a', group: groupName('a') },
      { node: nodeName('n1'), uid: 'u', instance: instanceId('i'), kind: 'drain' },
      NOW,
    ),
    evictions: evicted.map(evictionOf),
  });

  it.each([
    [2, 901_000],
    [60, 30_000],
    [1_000, 1_500],
  ])('of %i pods of %i bytes is stored with the largest abridged, which it says', async (count, bytes) => {
    const { client, commands } = await tableServer();
    const told: (readonly string[])[] = [];
    const drains = createDynamoDbDrains({
      client,
      table: 't',
      onUnreadable: () => {},
      onAbridged: (omission) => told.push(omission.pods),
    });
    const drain = drainOf([podOf('small', 100), ...pods(count, bytes)]);
    const saved = await drains.save(WEB, { drain, attempt: 1, drivenUntil: NOW }, 1);
    expect(saved).toMatchObject({ revision: 2 });
    expect(commands[0]!.bytes).toBeLessThan((ITEM_BYTES * 4) / 3);
    expect(told).toHaveLength(1);
    expect(told[0]!.length).toBeGreaterThan(0);
    expect(told[0]).not.toContain('default/small');
  });

  it('is stored as it is where it fits', async () => {
    const drain = drainOf(pods(50, 1_000));
    expect((await writeDrain(drain))?.abridged).toEqual([]);
  });

  it('fits with a thousand pods that have the longest of names', async () => {
    const evicted = Array.from({ length: 1_000 }, (_, n) =>
      podOf(noise(`name ${n}`, 253), 2_000, { uid: noise(`uid ${n}`, 36) }),
    );
    expect(await writeDrain(drainOf(evicted))).not.toBeNull();
  });

  it('and not even without is refused, in a word', async () => {
    const { client } = await tableServer();
    const drains = createDynamoDbDrains({ client, table: 't', onUnreadable: () => {} });
    const drain = { ...drainOf([]), waitingFor: noise('words', 1_000_000) };
    expect(await drains.save(WEB, { drain, attempt: 1, drivenUntil: NOW }, 1)).toBe('too large');
  });
});
