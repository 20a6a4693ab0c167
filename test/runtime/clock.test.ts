import { expect, test } from 'vitest';
import { epochMs } from '../../core/model/values/time.ts';
import { createClock } from '../../simulation/clock.ts';
import { createRealClock } from '../../runtime/clock.ts';
import { virtualClock } from '../../simulation/runtime/virtual-clock.ts';

test('a real clock is settled when the work that was started has ended, and what that has started itself', async () => {
  const clock = createRealClock();
  const ended: string[] = [];
  clock.start(async () => {
    await clock.sleep(1);
    clock.start(async () => {
      await clock.sleep(1);
      ended.push('inner');
    });
    ended.push('outer');
  });
  await clock.settled();
  expect(ended).toEqual(['outer', 'inner']);
});

test('a limit on a virtual clock is reached in virtual time', async () => {
  const simulated = createClock(epochMs(0));
  const signal = virtualClock(simulated).limit(40_000);
  await simulated.run({ done: () => signal.aborted, until: epochMs(60_000) });
  expect(signal.aborted).toBe(true);
  expect(simulated.now()).toBe(40_000);
});
