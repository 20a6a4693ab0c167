import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { epochMs } from '../../core/model/values/time.ts';
import { createClock } from '../../simulation/clock.ts';

const START = epochMs(1_000_000);
const forever = { done: () => false, until: epochMs(START + 1e9) };

describe('virtual time', () => {
  test('things happen in the order of their times, and at the same time in the order of asking', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(20), { maxLength: 60 }), async (delays) => {
        const clock = createClock(START);
        const happened: { readonly delay: number; readonly index: number; readonly now: number }[] = [];
        delays.forEach((delay, index) =>
          clock.after(delay, () => happened.push({ delay, index, now: clock.now() - START })),
        );
        await clock.run(forever);
        expect(happened.map(({ index }) => index)).toEqual(
          delays
            .map((delay, index) => ({ delay, index }))
            .sort((a, b) => a.delay - b.delay || a.index - b.index)
            .map(({ index }) => index),
        );
        expect(happened.every(({ delay, now }) => now === delay)).toBe(true);
      }),
    );
  });

  test('time stands still while started work computes, and moves while it sleeps', async () => {
    const clock = createClock(START);
    const seen: [string, number][] = [];
    clock.start(async () => {
      for (let i = 0; i < 50; i += 1) {
        await Promise.resolve();
      }
      seen.push(['computed', clock.now() - START]);
      await clock.sleep(30);
      seen.push(['slept', clock.now() - START]);
    });
    clock.after(10, () => seen.push(['timer', clock.now() - START]));
    await clock.run(forever);
    expect(seen).toEqual([
      ['computed', 0],
      ['timer', 10],
      ['slept', 30],
    ]);
  });

  test('a cancelled timer does not fire, and an aborted sleep rejects at once', async () => {
    const clock = createClock(START);
    const controller = new AbortController();
    const seen: string[] = [];
    clock.after(5, () => seen.push('cancelled')).cancel();
    clock.start(async () => {
      await clock
        .sleep(1_000, controller.signal)
        .catch((error: unknown) => seen.push(String(error), `${clock.now() - START}`));
    });
    clock.after(7, () => controller.abort(new Error('enough')));
    await clock.run(forever);
    expect(seen).toEqual(['Error: enough', '7']);
    await expect(clock.sleep(1, controller.signal)).rejects.toThrow('enough');
  });

  test('work that fails ends the run', async () => {
    const clock = createClock(START);
    clock.start(async () => {
      await clock.sleep(5);
      throw new Error('broken');
    });
    await expect(clock.run(forever)).rejects.toThrow('broken');
  });

  test('a run ends when it is done, when its time is up, or when nothing is left', async () => {
    const clock = createClock(START);
    let fired = 0;
    const fire = (): void => {
      fired += 1;
      clock.after(10, fire);
    };
    clock.after(10, fire);
    await clock.run({ done: () => fired === 3, until: forever.until });
    expect([fired, clock.now() - START]).toEqual([3, 30]);
    await clock.run({ done: () => false, until: epochMs(START + 55) });
    expect([fired, clock.now() - START]).toEqual([5, 55]);
  });

  test('nothing can be asked for in the past', () => {
    const clock = createClock(START);
    expect(() => clock.at(epochMs(START - 1), () => {})).toThrow('already');
    expect(() => clock.after(Number.NaN, () => {})).toThrow('already');
  });
});
