import { expect, test } from 'vitest';
import { epochMs } from '../../core/model/values/time.ts';
import { createClock } from '../../simulation/clock.ts';
import { startTimers } from '../../runtime/timers.ts';

/** Timers that fire within this many milliseconds, and when. */
async function firings(until: number, { atOnce = false, stopAt = Infinity } = {}): Promise<readonly string[]> {
  const clock = createClock(epochMs(0));
  const fired: string[] = [];
  const note = (name: string) => (): void => void fired.push(`${name} ${clock.now()}`);
  const stop = startTimers(
    clock,
    [
      { everyMs: 100, fire: note('a') },
      { everyMs: 100, fire: note('b') },
      { everyMs: 150, fire: note('c') },
    ],
    atOnce,
  );
  if (stopAt < until) {
    clock.after(stopAt, stop);
  }
  await clock.run({ done: () => false, until: epochMs(until) });
  return fired;
}

test('each schedule fires after each of its intervals; those due at the same time in their order', async () => {
  expect(await firings(250)).toEqual(['a 100', 'b 100', 'c 150', 'a 200', 'b 200']);
});

test('they fire at once as well, where that is wanted', async () => {
  expect(await firings(120, { atOnce: true })).toEqual(['a 0', 'b 0', 'c 0', 'a 100', 'b 100']);
});

test('nothing fires once they are stopped', async () => {
  expect(await firings(1_000, { stopAt: 120 })).toEqual(['a 100', 'b 100']);
});
