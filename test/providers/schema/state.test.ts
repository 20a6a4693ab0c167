import { describe, expect, expectTypeOf, it } from 'vitest';
import { EMPTY_STATE, type State } from '../../../core/model/state.ts';
import { explainInvalid } from '../../../providers/manifest/invalid.ts';
import { type DescribedState, EXPENDABLE_PARTS, STATE_PARTS, stateParts } from '../../../providers/schema/state.ts';
import { readState, writeState } from '../../state-documents.ts';

const TIME = '2026-01-01T12:00:00Z';

describe('the schema of a state', () => {
  it('describes the state that the core has, neither more nor less', () => {
    expectTypeOf<DescribedState>().toEqualTypeOf<State>();
    const optional = new Set([
      'lastScaleUpEvaluation',
      'lastNotification',
      'deferredPods',
      'pausedSince',
      'pausesInForce',
      'disruptions',
      'unneededTimes',
      'monthCosts',
      'consolidationMoves',
      'problems',
    ]);
    expect(Object.keys(STATE_PARTS).filter((part) => !optional.has(part))).toEqual(Object.keys(EMPTY_STATE));
  });

  it('says of every part that is not about the whole cluster when it goes, where not all fits', () => {
    const spread = stateParts.filter(([, { about }]) => about !== 'cluster').map(([name]) => name);
    expect(EXPENDABLE_PARTS.toSorted()).toEqual(spread.toSorted());
  });

  it('reads the names and words of older documents, and writes those of today', () => {
    const backoff = (failure: string): object => ({
      web: { until: TIME, duration: '5m', lastFailure: TIME, class: failure },
    });
    const places = { web: [{ kind: 'f00', count: 3 }] };
    const packing = { web: { method: 'any', nodes: [places.web], spare: 2 } };
    const read = readState({ promised: places, packing, backoff: backoff('Authorisation') });
    expect(read.ok && writeState(read.value)).toMatchObject({
      reservations: places,
      reservedPacking: { web: { nodes: [places.web] } },
      backoff: backoff('Authorization'),
    });
    expect(read.ok && Object.keys(writeState(read.value))).toEqual(Object.keys(EMPTY_STATE));
  });

  it('takes an older name beside its present one for a mistake', () => {
    const read = readState({ promised: {}, reservations: {} });
    expect(read.ok ? [] : read.error.map(({ place }) => place)).toEqual(['promised']);
  });

  it('keeps what is about a group with any name', () => {
    const seenErrors = JSON.parse('{"__proto__": ["i-1"], "constructor": []}') as object;
    const read = readState({ seenErrors });
    expect(read.ok && writeState(read.value)['seenErrors']).toEqual(seenErrors);
  });

  it('leaves out of a document what an entry holds besides', () => {
    const shortage = { type: 'a', zone: 'b', capacityType: 'spot', until: Date.parse(TIME), more: 1 };
    const state = { ...EMPTY_STATE, shortages: [shortage], more: 1 } as unknown as State;
    expect(writeState(state)).toEqual({
      ...writeState(EMPTY_STATE),
      shortages: [{ type: 'a', zone: 'b', capacityType: 'spot', until: TIME }],
    });
  });

  it('finds everything that is wrong at once', () => {
    const read = readState({
      unneededSince: [],
      seenErrors: { web: ['i-1', 'i-1', ''] },
      scaleUpRequests: [{ group: 'a', increase: -1, time: TIME, expectedAddTime: 5, more: 1 }],
      recentEvictions: [{ metadata: { name: 7 } }],
    });
    expect(read.ok ? [] : read.error.map((invalid) => explainInvalid(invalid))).toEqual([
      'unneededSince: expected an object, found a list',
      'scaleUpRequests[0].increase: expected an integer of at least 0, found -1',
      'scaleUpRequests[0].expectedAddTime: expected a time such as 2026-01-01T12:00:00Z, found 5',
      'scaleUpRequests[0].more: expected one of group, increase, time, expectedAddTime, found "more"',
      'recentEvictions[0].metadata.name: expected a name, found 7',
      'seenErrors.web[2]: expected a name, found ""',
      'seenErrors.web[1]: expected each name once, found "i-1"',
    ]);
  });
});
