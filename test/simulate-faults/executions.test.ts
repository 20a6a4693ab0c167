import { describe, expect, test } from 'vitest';
import { epochMs } from '../../core/model/values/time.ts';
import { createClock } from '../../providers/simulated/clock.ts';
import { createExecutions, type Replay } from './executions.ts';
import type { FaultSource } from './fault-source.ts';

class Killed extends Error {}

/** An execution of two steps and a wait between them, on a virtual clock. */
function played(options: {
  /** What befalls the checkpoints, one after the other. */
  readonly checkpoints?: readonly ('lost' | 'unanswered' | null)[];
  /** At these invocations, counted from 1, the process is killed as the second step begins. */
  readonly killedAt?: readonly number[];
  readonly first?: () => unknown;
  readonly keyOfSecond?: (invocation: number) => string;
}) {
  const {
    checkpoints = [],
    killedAt = [],
    first = () => ({ at: new Date(0) }),
    keyOfSecond = () => 'second',
  } = options;
  const clock = createClock(epochMs(0));
  const left = [...checkpoints];
  const faults = {
    strike: (_kind: string, _probability: number, pick: (chance: { next: () => number }) => unknown) => {
      const befalls = left.shift() ?? null;
      return befalls === null ? null : pick({ next: () => (befalls === 'lost' ? 0 : 0.9) });
    },
  } as unknown as FaultSource;
  const told: string[] = [];
  let invocations = 0;
  const invoke = async ({ pace, suspended }: Replay) => {
    invocations += 1;
    const number = invocations;
    const work = async (): Promise<'done'> => {
      const result = await pace.step('first', async () => {
        told.push(`first at ${clock.now()}`);
        return first();
      });
      await pace.wait('wait', 1_500);
      await pace.step(keyOfSecond(number), async () => {
        told.push(`second with ${JSON.stringify(result)} (${typeof result}) at ${clock.now()}`);
        if (killedAt.includes(number)) {
          throw new Killed('killed');
        }
      });
      return 'done';
    };
    return await Promise.race([work(), suspended]);
  };
  const executions = createExecutions({
    clock,
    faults,
    isDeath: (error) => error instanceof Killed,
    log: (line) => told.push(line),
  });
  let outcome: unknown = 'not over';
  const run = async () => {
    clock.start(async () => {
      outcome = await executions.execute('it', invoke).then(
        () => 'done',
        (error: unknown) => error,
      );
    });
    await clock.run({ done: () => outcome !== 'not over', until: epochMs(600_000) });
    return { told, outcome, invocations };
  };
  return run();
}

describe('a durable execution', () => {
  test('ends its invocation at a wait, and goes on in another one, with the results as JSON', async () => {
    const { told, outcome, invocations } = await played({});
    expect(outcome).toBe('done');
    expect(invocations).toBe(2);
    // Whole seconds, from the end of the step on.
    expect(told).toEqual(['first at 0', 'second with {"at":"1970-01-01T00:00:00.000Z"} (object) at 2010']);
  });

  test('does again what has no checkpoint, and not what has one', async () => {
    const lost = await played({ checkpoints: ['lost'] });
    expect(lost.told.filter((line) => line.startsWith('first'))).toHaveLength(2);
    expect(lost.outcome).toBe('done');
    const unanswered = await played({ checkpoints: ['unanswered'] });
    expect(unanswered.told.filter((line) => line.startsWith('first'))).toHaveLength(1);
    expect(unanswered.outcome).toBe('done');
  });

  test('is replayed after a death in the middle of a step, and is over after the third one', async () => {
    const twice = await played({ killedAt: [2, 3] });
    expect(twice.told.filter((line) => line.startsWith('first'))).toHaveLength(1);
    expect(twice.told.filter((line) => line.startsWith('second'))).toHaveLength(3);
    expect(twice.outcome).toBe('done');
    expect((await played({ killedAt: [2, 3, 4] })).outcome).toBeInstanceOf(Killed);
  });

  test('is a mistake where a replay comes to another step than was recorded', async () => {
    const { outcome } = await played({
      killedAt: [],
      checkpoints: [null, null, 'unanswered'],
      keyOfSecond: (invocation) => `second of ${invocation}`,
    });
    expect(outcome).toEqual(new TypeError('the replay of it comes to second of 3, where second of 2 is recorded'));
  });
});
