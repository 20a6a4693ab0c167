import assert from 'node:assert/strict';
import { describe, expect, it } from 'vitest';
import type { DrainEffect } from '../../../core/drain/effects.ts';
import type { Drain } from '../../../core/model/drain.ts';
import type { EvictOutcome, HookOutcome } from '../../../core/model/answers.ts';
import { performEffects } from '../../../functions/drain/perform.ts';
import { after, webPod } from '../../core/drain/one-node-world.ts';
import { WEB } from '../test-world.ts';
import { drainWorld } from './drain-world.ts';
import { driveDrains } from './drive-drains.ts';

const hook = { name: 'outrigger', token: 'of this termination', heartbeatUntil: null };
const FOR_HOOK: Partial<Drain> = { notice: { kind: 'LifecycleHook', deadline: after(900), hook } };

/** Drives the drain of a node whose instance waits for a lifecycle hook. */
async function driveForHook(answers: readonly (HookOutcome | Error)[]) {
  const given = await drainWorld([webPod('web-1')], 'drain', FOR_HOOK);
  given.node.instance = 'ending';
  const asked: unknown[] = [];
  const left = [...answers];
  const world = {
    ...given.world,
    cluster: (name: typeof WEB) => ({
      ...given.world.cluster(name)!,
      terminations: {
        groupsOf: () => Promise.reject(new Error('a drain knows its group')),
        heartbeat: async (...call: readonly unknown[]): Promise<HookOutcome> => {
          asked.push(['heartbeat', ...call.slice(0, 3)]);
          return { kind: 'done' };
        },
        completeHook: async (...call: readonly unknown[]): Promise<HookOutcome> => {
          asked.push(['completeHook', ...call.slice(0, 3), given.node.pods.length]);
          const answer = left.shift() ?? { kind: 'gone' };
          if (answer instanceof Error) {
            throw answer;
          }
          return answer;
        },
      },
    }),
  };
  await driveDrains(world, { cluster: WEB, ids: [given.drain.id], attempt: 1 });
  const stored = await given.test.drains.load(WEB, given.drain.id);
  return { asked, drain: stored!.drain, ended: given.node.ended() };
}

describe('a drain for a lifecycle hook', () => {
  it('sends heartbeats, and completes the hook once the pods are gone; it terminates nothing', async () => {
    const { asked, drain, ended } = await driveForHook([{ kind: 'done' }]);
    expect(asked).toEqual([
      ['heartbeat', 'web', 'i-1', hook],
      ['completeHook', 'web', 'i-1', hook, 0],
    ]);
    expect(drain).toMatchObject({ phase: 'Removed', outcome: { kind: 'removed' } });
    expect(ended).toBe(0);
  });

  it('is done where the hook does not wait any more', async () => {
    expect((await driveForHook([{ kind: 'gone' }])).drain.phase).toBe('Removed');
  });

  it('completes the hook again where the answer was lost', async () => {
    const { asked, drain } = await driveForHook([new Error('no answer'), { kind: 'done' }]);
    expect(asked.filter((call) => (call as string[])[0] === 'completeHook')).toHaveLength(2);
    expect(drain.phase).toBe('Removed');
  });
});

describe('evictions of one step', () => {
  const evictions = (inOrder: boolean): readonly DrainEffect[] =>
    ['large', 'small'].map((name) => ({
      kind: 'evict',
      pod: { namespace: 'default', name, uid: name },
      graceSeconds: null,
      ...(inOrder && { inOrder: true }),
    }));
  /** The pods that the API server is asked about, where it has this to say to the first. */
  const asking = async (effects: readonly DrainEffect[], answer: () => EvictOutcome) => {
    const { world: services } = await drainWorld();
    const cluster = services.cluster(WEB)!;
    const asked: string[] = [];
    const evict: typeof cluster.writer.evict = async ({ name }) => {
      asked.push(name);
      return asked.length === 1 ? answer() : { kind: 'done' };
    };
    const own = { ...cluster, writer: { ...cluster.writer, evict } };
    const { evictions: results } = await performEffects(
      { services, cluster: own, signal: AbortSignal.timeout(5_000) },
      effects,
    );
    return { asked, small: results['small']?.kind };
  };
  const throttled = (): EvictOutcome => ({ kind: 'throttled', message: 'busy', retryAfterSeconds: 7 });

  it.each<[string, () => EvictOutcome]>([
    ['is too busy for the first', throttled],
    ['does not answer the first', () => assert.fail('no answer')],
  ])('end where the API server %s: the others are as if it were too busy for them', async (_, answer) => {
    expect(await asking(evictions(true), answer)).toEqual({ asked: ['large'], small: 'throttled' });
  });

  it('go on when the first is refused, and where they need not keep their order', async () => {
    const refused = (): EvictOutcome => ({ kind: 'refused', message: 'a budget', retryAfterSeconds: null });
    const both = { asked: ['large', 'small'], small: 'done' };
    expect(await asking(evictions(true), refused)).toEqual(both);
    expect(await asking(evictions(false), throttled)).toEqual(both);
  });
});
