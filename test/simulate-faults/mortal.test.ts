import { describe, expect, test } from 'vitest';
import { createLife, mortal } from './mortal.ts';

/** Everything that can happen by now has happened. */
const settled = (): Promise<void> => new Promise(setImmediate);

function playedOut(diesAt: string) {
  const told: string[] = [];
  const life = createLife((moment) => moment === diesAt);
  const port = mortal(
    'port',
    {
      first: async () => {
        told.push('first takes effect');
        return 1;
      },
      second: async () => {
        told.push('second takes effect');
        throw new Error('it failed');
      },
    },
    life,
  );
  const work = async (): Promise<void> => {
    try {
      await port.first();
      told.push('between');
      await port.second();
    } catch {
      told.push('catch');
      await port.first().catch(() => told.push('catch in catch'));
    } finally {
      told.push('finally');
    }
  };
  void work();
  return { told, life };
}

describe('a function that dies', () => {
  test.each([
    ['before port.first', []],
    ['after port.first', ['first takes effect']],
    ['before port.second', ['first takes effect', 'between']],
    ['after port.second, which failed', ['first takes effect', 'between', 'second takes effect']],
  ])('%s: nothing of it is run any more, no catch and no finally', async (moment, expected) => {
    const { told, life } = playedOut(moment);
    await settled();
    expect(told).toEqual(expected);
    expect(await life.death).toBe(moment);
  });

  test('leaves calls behind that are under way: they take effect, and their answers are lost', async () => {
    const told: string[] = [];
    const life = createLife(() => false);
    const { promise: answer, resolve } = Promise.withResolvers<void>();
    const slow = async (): Promise<void> => {
      await answer;
      told.push('effect');
    };
    const port = mortal('port', { slow, quick: async () => told.push('quick') }, life);
    void port.slow().then(() => told.push('answered'));
    life.kill('for the test');
    resolve();
    void port.quick().finally(() => told.push('finally'));
    await settled();
    expect(told).toEqual(['effect']);
  });
});
