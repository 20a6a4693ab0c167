import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupName, nodeName } from '../../../core/model/values/names.ts';
import { EMPTY_STATE, type State } from '../../../core/model/state.ts';
import { ROW_KINDS, SLOTS_OF, slotOf } from '../../../providers/dynamodb/keys.ts';
import { FORMATS } from '../../../providers/dynamodb/migrations.ts';
import { CLUSTER_PARTS, rowSchemas, rowsOf, withRows } from '../../../providers/dynamodb/rows.ts';
import { readSlotItem, slotTexts } from '../../../providers/dynamodb/slot-item.ts';
import { state as anyState } from '../scenario/arbitraries.ts';
import { after, FULL_STATE, inOrder, NOON, stateAt } from '../state-store.contract.ts';

/** The state of the cluster as a whole. */
const withoutRows = (state: State): State => ({
  ...EMPTY_STATE,
  ...Object.fromEntries(CLUSTER_PARTS.map((part) => [part, state[part]])),
});

describe('rows', () => {
  it('with what is about the cluster as a whole are the state', () => {
    fc.assert(
      fc.property(anyState, (given) => {
        const state = { ...EMPTY_STATE, ...given };
        expect(withRows(withoutRows(state), rowsOf(state))).toEqual({
          ...inOrder(state),
          // Stored as they are.
          disruptions: state.disruptions,
          unneededTimes: state.unneededTimes,
          monthCosts: state.monthCosts,
          consolidationMoves: state.consolidationMoves,
          problems: state.problems,
          deferredPods: state.deferredPods,
          pausesInForce: state.pausesInForce,
        });
      }),
    );
  });

  it('hold all that is known of one group, of one node', () => {
    const { GROUP, NODE } = rowsOf(FULL_STATE);
    expect(GROUP.get('web-a')).toEqual({
      groups: FULL_STATE.groups[groupName('web-a')],
      scaleUpRequests: FULL_STATE.scaleUpRequests,
      reservations: [{ kind: 'f00', count: 3, existing: 1 }],
      reservedPacking: FULL_STATE.reservedPacking[groupName('web-a')],
      backoff: FULL_STATE.backoff[groupName('web-a')],
      repairBackoff: after(6),
      incorrectSize: { current: 8, expected: 10, firstObserved: NOON },
      seenSizes: 3,
      seenErrors: ['i-2'],
    });
    expect(NODE.get('n2')).toEqual({
      deletionsInProgress: FULL_STATE.deletionsInProgress,
      scaleDownRequests: FULL_STATE.scaleDownRequests,
    });
    expect([...NODE.keys()].sort()).toEqual(['n1', 'n2', 'n3']);
  });

  it('keep the order of several entries about one thing', () => {
    const group = groupName('web');
    const requests = [3, 1, 2].map((increase) => ({ group, increase, time: NOON, expectedAddTime: after(increase) }));
    const state = stateAt(NOON, { scaleUpRequests: requests });
    expect(withRows(EMPTY_STATE, rowsOf(state)).scaleUpRequests).toEqual(requests);
  });

  it.each(ROW_KINDS)('of kind %s are read as they were written, whatever they are called', async (kind) => {
    const rows = rowsOf({
      ...FULL_STATE,
      repairBackoff: Object.fromEntries(['__proto__', 'constructor', '7', 'ü/ 1'].map((name) => [name, NOON])),
      unneededSince: { [nodeName('')]: NOON },
    });
    const found = new Map<string, unknown>();
    for (const [sk, body] of slotTexts(rows)) {
      const slot = await readSlotItem({ sk, schema: FORMATS.slot, version: 1, document: { encoding: 'json', body } });
      expect(slot).toMatchObject({ sk, text: body, problems: [], newer: false });
      for (const [name, row] of slot.kind === kind ? slot.rows : []) {
        expect(slotOf(kind, name)).toBe(sk);
        found.set(name, row);
      }
    }
    expect(found).toEqual(new Map(rows[kind]));
    expect(found.size).toBeGreaterThan(0);
  });

  it('that are equal are equal texts, in whatever order they came', () => {
    fc.assert(
      fc.property(anyState, (state) => {
        const rows = rowsOf({ ...EMPTY_STATE, ...state });
        const reversed = Object.fromEntries(
          ROW_KINDS.map((kind) => [
            kind,
            new Map([...rows[kind]].reverse().map(([name, row]) => [name, upsideDown(row) as typeof row])),
          ]),
        ) as unknown as typeof rows;
        expect(slotTexts(reversed)).toEqual(slotTexts(rows));
      }),
    );
  });

  it('of format 1 name two parts otherwise, and are written anew', async () => {
    const packing = { method: 'best-fit by sum', nodes: [[{ kind: 'f00', count: 3 }]], spare: 2 };
    const backoff = { until: NOON, duration: 1, lastFailure: NOON, class: 'Authorisation' };
    const body = JSON.stringify({ web: { promised: [{ kind: 'f00', count: 3 }], packing, backoff } });
    const slot = await readSlotItem({ sk: 'GROUP#00', schema: 1, version: 1, document: { encoding: 'json', body } });
    expect(slot).toMatchObject({ text: null, problems: [] });
    expect(withRows(EMPTY_STATE, { ...rowsOf(EMPTY_STATE), GROUP: slot.rows })).toEqual({
      ...EMPTY_STATE,
      reservations: { web: [{ kind: 'f00', count: 3 }] },
      reservedPacking: { web: packing },
      backoff: { web: { ...backoff, class: 'Authorization' } },
    });
  });

  it('may lack every part: what was not remembered yet when they were written is nothing', () => {
    expect(ROW_KINDS.map((kind) => rowSchemas[kind].safeParse({}).success)).toEqual(ROW_KINDS.map(() => true));
    expect(withRows(EMPTY_STATE, { ...rowsOf(EMPTY_STATE), GROUP: new Map([['web', {}]]) })).toEqual(EMPTY_STATE);
  });
});

describe('slots', () => {
  it('together with new intents, settled ones, the state and the decision fit one transaction', () => {
    const slots = Object.values(SLOTS_OF).reduce((sum, of) => sum + of, 0);
    expect(slots + 8 + 32 + 2).toBeLessThanOrEqual(100);
  });

  it('of 5,000 nodes hold about as many each', () => {
    const sizes = new Map<string, number>();
    for (let n = 0; n < 5_000; n++) {
      const sk = slotOf('NODE', `ip-10-0-${n >> 8}-${n & 255}.ec2.internal`);
      sizes.set(sk, (sizes.get(sk) ?? 0) + 1);
    }
    expect(sizes.size).toBe(SLOTS_OF.NODE);
    expect(Math.max(...sizes.values())).toBeLessThan((5_000 / SLOTS_OF.NODE) * 1.5);
  });
});

/** The same value with the keys of its objects the other way round. */
function upsideDown(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(upsideDown);
  }
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([key, inner]) => [key, upsideDown(inner)]),
      )
    : value;
}
