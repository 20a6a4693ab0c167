import { describe, expect, it } from 'vitest';
import { epochMs } from '../../core/model/values/time.ts';
import { createClock } from '../../simulation/clock.ts';
import type { InProcessFunction } from '../../runtime/functions.ts';
import { type SandboxOptions, sandboxes } from '../../runtime/invocations.ts';
import type { FunctionServices } from '../../runtime/services.ts';

describe('a sandbox', () => {
  const target: InProcessFunction<string, string> = {
    name: 'wake',
    create:
      (world) =>
      async (event, { signal }) => {
        await world.sleep(10_000, signal);
        return `${event} done`;
      },
  };

  it('is made once for all invocations of a function', async () => {
    let made = 0;
    const { invoke } = sandbox({ timeoutMs: () => null });
    const counting: InProcessFunction<string, number> = {
      name: 'wake',
      create: () => {
        made += 1;
        return async () => made;
      },
    };
    expect([await invoke(counting, 'a'), await invoke(counting, 'b')]).toEqual([1, 1]);
  });

  it.each([
    { timeoutMs: 9_000, outcome: 'the function has run for 9 s' },
    { timeoutMs: 11_000, outcome: 'event done' },
    { timeoutMs: null, outcome: 'event done' },
  ])('ends an invocation after its time, of $timeoutMs ms: $outcome', async ({ timeoutMs, outcome }) => {
    const { invoke, clock } = sandbox({ timeoutMs: () => timeoutMs });
    const ended = invoke(target, 'event').catch((error: unknown) => (error as Error).message);
    await clock.run({ done: () => false, until: epochMs(60_000) });
    expect(await ended).toBe(outcome);
  });

  it('ends an invocation when it is told to stop', async () => {
    const stop = new AbortController();
    const { invoke } = sandbox({ timeoutMs: () => null, stop: () => stop.signal });
    const ended = invoke(target, 'event');
    stop.abort(new Error('stopped'));
    await expect(ended).rejects.toThrow('stopped');
  });
});

function sandbox(options: Pick<SandboxOptions, 'timeoutMs' | 'stop'>) {
  const clock = createClock(epochMs(0));
  const world = { now: clock.now, sleep: clock.sleep } as FunctionServices;
  return { clock, invoke: sandboxes({ clock, ...options })(() => world) };
}
