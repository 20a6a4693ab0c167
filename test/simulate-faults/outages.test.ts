import { expect, test } from 'vitest';
import { addTime, epochMs, minutes, seconds } from '../../core/model/values/time.ts';
import { createClock } from '../../providers/simulated/clock.ts';
import type { FaultSource } from './fault-source.ts';
import { startOutages } from './outages.ts';

const START = epochMs(0);

test('outages that overlap count once in the time that they have lasted', async () => {
  const clock = createClock(START);
  const begins = [seconds(20), seconds(60), minutes(10)];
  // Each lasts for a minute.
  const strike = ((_kind, _often, pick) =>
    begins.some((at) => addTime(START, at) === clock.now())
      ? pick({ within: ({ min }: { min: number }) => min, next: () => 0 } as never)
      : null) as FaultSource['strike'];
  const scenario = { faultsUntil: addTime(START, minutes(60)), provider: 'aws' } as const;
  const { lastedSince, failure } = startOutages(
    clock,
    scenario,
    { strike, stopped: () => false } as FaultSource,
    () => {},
  );
  await clock.run({ done: () => false, until: addTime(START, seconds(70)) });
  expect(failure('kubernetes')).not.toBeNull();
  expect(lastedSince(START)).toBe(seconds(50));
  await clock.run({ done: () => false, until: addTime(START, minutes(20)) });
  expect(failure('kubernetes')).toBeNull();
  expect(lastedSince(START)).toBe(seconds(100 + 60));
  expect(lastedSince(addTime(START, seconds(100)))).toBe(seconds(20 + 60));
  expect(lastedSince(clock.now())).toBe(0);
});
