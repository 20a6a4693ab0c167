import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../providers/memory/store.ts';
import {
  commitOf,
  decisionOf,
  freshCluster,
  intentOf,
  NOON,
  stateAt,
  stateStoreContract,
} from '../state-store.contract.ts';
import { cases } from '../../cases.ts';

const shared = createMemoryStore();
describe('store in memory', () => {
  stateStoreContract({ open: () => shared, races: 1_000, propertyRuns: cases(30), calls: null });
});

describe('snapshot of the store in memory', () => {
  it('shows every cluster with its history, and nothing that comes later', async () => {
    const store = createMemoryStore();
    const cluster = freshCluster();
    await store.commit(cluster, commitOf(0, { intents: [intentOf(0, 'web')] }));
    await store.commit(cluster, commitOf(1, { state: stateAt(NOON) }));
    const snapshot = store.snapshot();
    await store.commit(cluster, commitOf(2));
    await store.endIntent(cluster, '0-web', { status: 'done', outcome: null });
    expect(snapshot).toEqual(
      new Map([
        [
          cluster,
          {
            version: 2,
            state: stateAt(NOON),
            intents: [intentOf(0, 'web')],
            decisions: [decisionOf('decision 1'), decisionOf('decision 2')],
          },
        ],
      ]),
    );
  });

  it('holds as many decisions as it is told to', async () => {
    const store = createMemoryStore({ history: 2 });
    const cluster = freshCluster();
    for (let version = 0; version < 4; version++) {
      await store.commit(cluster, commitOf(version));
    }
    expect(
      store
        .snapshot()
        .get(cluster)
        ?.decisions.map(({ name }) => name),
    ).toEqual(['decision 3', 'decision 4']);
  });
});

it('what the store in memory hands out cannot be changed', async () => {
  const store = createMemoryStore();
  const cluster = freshCluster();
  await store.commit(cluster, commitOf(0, { intents: [intentOf(0, 'web')] }));
  const { state, intents } = await store.load(cluster);
  expect(() => Object.assign(state.unneededSince, { n1: NOON })).toThrow(TypeError);
  expect(() => Object.assign(intents[0]!, { to: 7 })).toThrow(TypeError);
  expect(() => (intents as unknown[]).push(0)).toThrow(TypeError);
});
