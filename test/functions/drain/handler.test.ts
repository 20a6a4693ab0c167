import { LocalDurableTestRunner } from '@aws/durable-execution-sdk-js-testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { epochMs } from '../../../core/model/values/time.ts';
import { createDrainHandler } from '../../../functions/drain/handler.ts';
import { webPod } from '../../core/drain/one-node-world.ts';
import { WEB } from '../test-world.ts';
import { drainWorld } from './drain-world.ts';

beforeAll(() => LocalDurableTestRunner.setupTestEnvironment({ skipTime: true }));
afterAll(() => LocalDurableTestRunner.teardownTestEnvironment());

async function execution(payload: (id: string) => unknown) {
  const given = await drainWorld([webPod('web-1')]);
  // The runner skips waits without moving a clock: here time passes with each reading of the clock.
  const now = () => epochMs((given.test.time += 500));
  const calls: string[] = [];
  given.beforeCall = (what) => calls.push(what);
  let published = 0;
  const handlerFunction = createDrainHandler({ ...given.world, now }, () => {
    published += 1;
  });
  const result = await new LocalDurableTestRunner({ handlerFunction }).run({ payload: payload(given.drain.id) });
  return { given, result, calls, published: () => published };
}

describe('a durable execution', () => {
  it('drives a drain to its end, each effect once, and publishes metrics', async () => {
    const { given, result, calls, published } = await execution((id) => ({ cluster: WEB, ids: [id], attempt: 1 }));
    expect(result.getStatus()).toBe('SUCCEEDED');
    const stored = await given.test.drains.load(WEB, given.drain.id);
    expect(stored?.drain.phase).toBe('Removed');
    expect(given.node.ended()).toBe(1);
    for (const effect of ['evict', 'terminate', 'startScaleDown']) {
      expect(calls.filter((call) => call === effect)).toEqual([effect]);
    }
    expect(published()).toBeGreaterThan(0);
    // The names of the steps and waits, each different.
    const names = result.getOperations().map((operation) => operation.getName());
    expect(names.slice(0, 4)).toEqual(['round 1', 'wait 1', 'round 2', 'wait 2']);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeLessThan(40);
  });

  it.each([
    ['without drains', { cluster: WEB, ids: [], attempt: 1 }],
    ['without a number', { cluster: WEB, ids: ['1-web/n1'] }],
  ])('%s fails, and does nothing', async (_, payload) => {
    const { result, calls } = await execution(() => payload);
    expect(result.getStatus()).toBe('FAILED');
    expect(calls).toEqual([]);
  });
});
