import { expect, it } from 'vitest';
import { addTime, type EpochMs, minutes, seconds } from '../../../core/model/values/time.ts';
import { isRepetition, NO_CALLS, withCall } from '../../../core/wakeups/recent-calls.ts';
import { NOW } from '../../scenario-builders.ts';

const after = (ms: Parameters<typeof addTime>[1]): EpochMs => addTime(NOW, ms);

it('a call is repeated by one of its uid for a minute, and by no other', () => {
  const calls = withCall(NO_CALLS, 'a', NOW);
  expect(isRepetition(NO_CALLS, 'a', NOW)).toBe(false);
  expect(isRepetition(calls, 'a', after(seconds(59)))).toBe(true);
  expect(isRepetition(calls, 'a', after(minutes(1)))).toBe(false);
  expect(isRepetition(calls, 'b', NOW)).toBe(false);
});

it('the minute begins anew with a call that was let through', () => {
  const calls = withCall(withCall(NO_CALLS, 'a', NOW), 'a', after(minutes(1)));
  expect(isRepetition(calls, 'a', after(seconds(119)))).toBe(true);
});

it('256 calls are remembered, and the oldest are forgotten', () => {
  let calls = NO_CALLS;
  for (let index = 0; index < 300; index += 1) {
    calls = withCall(calls, `${index}`, NOW);
  }
  expect(calls.size).toBe(256);
  expect([43, 44, 299].map((index) => isRepetition(calls, `${index}`, NOW))).toEqual([false, true, true]);
});
