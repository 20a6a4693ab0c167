import { expect, test } from 'vitest';
import { clusterName } from '../../core/model/values/names.ts';
import { EMPTY_STATE } from '../../core/model/state.ts';
import { addTime, epochMs, seconds } from '../../core/model/values/time.ts';
import { createClock } from '../../providers/simulated/clock.ts';
import { commitOf, intentOf, stateAt } from '../providers/state-store.contract.ts';
import type { FaultSource } from './fault-source.ts';
import { forgetfulStore } from './lost-state.ts';

const CLUSTER = clusterName('sim');
const START = epochMs(0);

/** A store with a state and an intent, after the `n`th of its losses. */
async function afterLoss(n: 0 | 1 | 2) {
  const clock = createClock(START);
  let lost = 0;
  const strike = ((_kind, _often, pick) => pick({ within: () => n } as never)) as FaultSource['strike'];
  const store = forgetfulStore(clock, { strike, stopped: () => true } as FaultSource, () => (lost += 1));
  const state = stateAt(START, { lastNotification: START });
  await store.commit(CLUSTER, commitOf(0, { state, intents: [intentOf(1, 'g')] }));
  await clock.run({ done: () => false, until: addTime(START, seconds(40)) });
  const load = async () => {
    const { version, intents, ...known } = await store.load(CLUSTER);
    return { version, intents: intents.length, state: known.state };
  };
  return { store, state, lost: () => lost, load, now: clock.now };
}

test('a store that has lost all begins anew, and says so', async () => {
  const { load, lost } = await afterLoss(0);
  expect(await load()).toEqual({ version: 0, intents: 0, state: EMPTY_STATE });
  expect(lost()).toBe(1);
});

test('a state that was set aside is empty until the next is written, and what is to be done stays', async () => {
  const { store, load, state, lost, now } = await afterLoss(1);
  expect(await load()).toEqual({ version: 1, intents: 1, state: EMPTY_STATE });
  expect(store.forgottenAt()).toBe(now());
  await store.commit(CLUSTER, commitOf(1, { state }));
  expect((await load()).state).toEqual(state);
  expect(store.forgottenAt()).toBe(now());
  expect(lost()).toBe(0);
});

test('an older version writes no parts that it does not know', async () => {
  const { store, load, state } = await afterLoss(2);
  await store.commit(CLUSTER, commitOf(1, { state }));
  expect(store.forgottenAt()).toBe(Number.NEGATIVE_INFINITY);
  expect(Object.keys((await load()).state)).not.toContain('lastNotification');
});
