import { expect, test } from 'vitest';
import { awaitedSince } from '../../../../core/actuation/changes/awaited-launches.ts';
import { EMPTY_STATE, type State } from '../../../../core/model/state.ts';
import { groupName } from '../../../../core/model/values/names.ts';
import { epochMs } from '../../../../core/model/values/time.ts';

const [FAILED, NEVER] = [groupName('failed'), groupName('never-scaled-up')];
const AT = epochMs(Date.UTC(2026, 0, 15, 9));

const times = (lastScaleUp: State['lastScaleUp']) => ({
  lastScaleUp,
  lastScaleDownDelete: null,
  lastScaleDownFailure: null,
});

test('launches are awaited since the open request of their group, or since its last scale-up where the request has failed', () => {
  const request = { group: FAILED, increase: 2, time: epochMs(AT + 60_000), expectedAddTime: epochMs(AT + 900_000) };
  const state: State = {
    ...EMPTY_STATE,
    seenErrors: { [FAILED]: [], [NEVER]: [] },
    groups: { [FAILED]: times(AT), [NEVER]: times(null) },
  };
  expect([...awaitedSince(state)]).toEqual([[FAILED, AT]]);
  expect([...awaitedSince({ ...state, scaleUpRequests: [request] })]).toEqual([[FAILED, request.time]]);
});
