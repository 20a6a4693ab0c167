import { describe, expect, it } from 'vitest';
import type { Item } from '../../../providers/dynamodb/access.ts';
import { FORMATS, inCurrentFormat } from '../../../providers/dynamodb/migrations.ts';
import { readSlotItem } from '../../../providers/dynamodb/slot-item.ts';
import { readStateItem } from '../../../providers/dynamodb/state-item.ts';
import { EMPTY_STATE } from '../../../core/model/state.ts';
import recorded from './recorded/format-1.json' with { type: 'json' };

describe('an item', () => {
  it.each(Object.keys(FORMATS) as (keyof typeof FORMATS)[])('of the present format is left as it is: %s', (kind) => {
    const item: Item = { schema: FORMATS[kind], anything: 1 };
    const current = inCurrentFormat(kind, item);
    expect(current.ok && current.value).toBe(item);
  });

  it('of an older format goes through one migration after the other', () => {
    const step = (from: number) => (item: Item) => ({
      ...item,
      schema: from + 1,
      way: `${String(item['way'])}${from}`,
    });
    const migrations = { 1: step(1), 2: step(2), 3: step(3) };
    const given = Object.freeze({ schema: 2, way: '' });
    expect(inCurrentFormat('state', given, 4, migrations)).toEqual({ ok: true, value: { schema: 4, way: '23' } });
    expect(given).toEqual({ schema: 2, way: '' });
  });

  it.each([
    ['of a newer format', { schema: 99 }, 'newer', 'written in format 99 by a newer version; this one reads 3'],
    ['of a format that never was', { schema: 0 }, 'broken', 'schema: there is no format 0'],
    ['without a format', {}, 'broken', 'schema: expected a whole number, found undefined'],
    ['with a format that is none', { schema: 1.5 }, 'broken', 'schema: expected a whole number, found number'],
  ])('%s is told apart', (_, item, kind, reason) => {
    expect(inCurrentFormat('state', item)).toEqual({ ok: false, error: { kind, reason } });
  });
});

describe('a state of format 1', () => {
  const item = recorded.items.find(({ sk }) => sk === 'STATE')!;
  const evicted = recorded.state.recentEvictions;
  // The API version of a controller was not kept then.
  const recentEvictions = evicted.map((pod) => ({ ...pod, controller: { ...pod.controller, apiVersion: '' } }));
  const { promised: reservations, ...others } = recorded.state;
  const state = { ...EMPTY_STATE, ...others, reservations, recentEvictions };

  it('is all in its document, and names no slots', async () => {
    expect(await readStateItem(item)).toEqual({
      version: 2,
      token: '5e8ee268-c00a-454c-a3ca-c8db0221700c',
      state,
      items: { 'INTENT#2#2': 0 },
      unlistedIntents: true,
      problems: [],
      newer: false,
    });
  });

  it('with an evicted pod of another shape costs that pod alone', async () => {
    const body = JSON.stringify({ ...recorded.state, recentEvictions: [{ name: 'of another shape' }, ...evicted] });
    const read = await readStateItem({ ...item, document: { encoding: 'json', body } });
    expect(read.state).toEqual(state);
    expect(read.problems).toMatchObject([{ place: 'recentEvictions[0]' }]);
  });
});

it('a slot of a newer format has no rows, and says so', async () => {
  const item = { sk: 'GROUP#00', schema: 4, version: 1, document: { encoding: 'json', body: '{"web":{}}' } };
  const slot = await readSlotItem(item);
  expect({ ...slot, rows: slot.rows.size }).toEqual({
    sk: 'GROUP#00',
    kind: 'GROUP',
    rows: 0,
    text: null,
    problems: [{ place: '', reason: 'written in format 4 by a newer version; this one reads 3' }],
    newer: true,
  });
});
