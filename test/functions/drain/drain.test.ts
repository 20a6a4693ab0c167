import { describe, expect, it } from 'vitest';
import type { DrainRound } from '../../../core/ports/executions.ts';
import { isWithoutDriver } from '../../../core/drain/drivers.ts';
import { restartDrains } from '../../../functions/actuate/restart-drains.ts';
import { createDrain, drainOfQueue } from '../../../functions/drain/drain.ts';
import { STEP_MS } from '../../../functions/drain/step-limits.ts';
import type { DrainEffect } from '../../../core/drain/effects.ts';
import { addTime, type EpochMs, minutes, seconds } from '../../../core/model/values/time.ts';
import { webPod } from '../../core/drain/one-node-world.ts';
import { NOW } from '../../scenario-builders.ts';
import { invocation, WEB } from '../test-world.ts';
import { type DrainWorld, drainWorld } from './drain-world.ts';

const NEVER = (): AbortSignal => new AbortController().signal;

/** The function, for messages as the queue delivers them: as JSON. */
const roundsOf = ({ world }: DrainWorld) => {
  const ofQueue = drainOfQueue(createDrain(world, { stepMs: STEP_MS, limit: NEVER }));
  return async (round: DrainRound): Promise<void> =>
    await ofQueue({ Records: [{ body: JSON.stringify(round) }] } as never, invocation());
};

const startOf = ({ drain }: DrainWorld): DrainRound => ({ cluster: WEB, ids: [drain.id], attempt: 1 });

/** Delivers messages until none is left; each as many times as `copies` says. */
async function deliverAll(given: DrainWorld, copies = 1): Promise<number> {
  return (await waitsOfAll(given, copies)).length;
}

/** The wait before each message that is delivered, in milliseconds. */
async function waitsOfAll(given: DrainWorld, copies = 1): Promise<readonly number[]> {
  const take = roundsOf(given);
  let waiting: { readonly round: DrainRound; readonly waitMs: number }[] = [{ round: startOf(given), waitMs: 0 }];
  const waits: number[] = [];
  for (;;) {
    const [next] = waiting.toSorted((a, b) => a.waitMs - b.waitMs);
    if (next === undefined) {
      return waits;
    }
    waiting = waiting.filter((one) => one !== next);
    await given.world.sleep(next.waitMs);
    for (let copy = 0; copy < copies; copy += 1) {
      given.test.continued.length = 0;
      await take(next.round);
      waits.push(next.waitMs);
      waiting.push(...given.test.continued);
    }
    expect(waiting.length).toBeLessThanOrEqual(copies);
    expect(waits.length).toBeLessThan(200);
  }
}

const phaseOf = async ({ test, drain }: DrainWorld) => (await test.drains.load(WEB, drain.id))!.drain.phase;

describe('a drain', () => {
  it('removes the node, one round for each message, and has scale-down evaluate', async () => {
    const given = await drainWorld([webPod('web-1'), webPod('web-2')]);
    expect(await deliverAll(given)).toBeGreaterThan(4);
    expect(await phaseOf(given)).toBe('Removed');
    expect(given.node.ended()).toBe(1);
    expect(given.test.scaleDowns).toHaveLength(1);
  });

  it.each([30, 600])('goes on without a pause while its pods take %d s to end', async (length) => {
    const spec = { terminationGracePeriodSeconds: length };
    const given = await drainWorld([webPod('web-1', { spec }), webPod('web-2', { spec })]);
    given.podsEndAfter = length * 1_000;
    const waits = await waitsOfAll(given);
    expect(await phaseOf(given)).toBe('Removed');
    expect(given.node.ended()).toBe(1);
    // Lambda drops the 17th round of a function that is not allowed to invoke itself.
    expect(waits.length).toBeGreaterThanOrEqual(17);
    expect(Math.max(...waits)).toBeLessThanOrEqual(15_000);
    expect((given.test.now() - NOW) / 1_000).toBeLessThan(1.2 * length + 15);
  });

  it('for a Spot interruption is done within its two minutes, with a budget that frees after 80 seconds', async () => {
    const notice = { kind: 'SpotInterruption', deadline: addTime(NOW, minutes(2)), hook: null } as const;
    const given = await drainWorld([webPod('web-1')], 'drain', { notice });
    const { perform } = given.node;
    const freeAt = addTime(NOW, seconds(80));
    const refused = (effect: DrainEffect, now: EpochMs): boolean => effect.kind === 'evict' && now < freeAt;
    Object.assign(given.node, {
      perform: ((effects, fate, now) =>
        perform(effects, (one) => (refused(one, now) ? 'refused' : fate(one)), now)) satisfies typeof perform,
    });
    let endedAt: number | null = null;
    given.afterCall = (what) => {
      endedAt = what === 'terminate' ? given.test.now() : endedAt;
    };
    await deliverAll(given);
    expect(given.node.pods).toEqual([]);
    expect(endedAt).not.toBeNull();
    expect(endedAt! - NOW).toBeGreaterThan(80_000);
    expect(endedAt! - NOW).toBeLessThan(100_000);
  });

  it('has one driver, however often its messages arrive', async () => {
    const given = await drainWorld([webPod('web-1')]);
    const once = await deliverAll(await drainWorld([webPod('web-1')]));
    // Two that start at once are one after the first step.
    expect(await deliverAll(given, 2)).toBeLessThanOrEqual(2 * (once + 1));
    expect(await phaseOf(given)).toBe('Removed');
    expect(given.node.ended()).toBe(1);
  });

  it('whose message is lost is found without a driver when its lease ends, and started again', async () => {
    const given = await drainWorld([webPod('web-1')]);
    await roundsOf(given)(startOf(given));
    given.test.continued.length = 0;
    const { world: services, test } = given;
    const stored = (await test.drains.load(WEB, given.drain.id))!;
    expect(isWithoutDriver(stored, services.now())).toBe(false);
    test.time += stored.drivenUntil - test.time + 1;
    await restartDrains({ services, cluster: services.cluster(WEB)!, signal: NEVER() });
    expect(test.started).toEqual([{ ids: [given.drain.id], attempt: 2 }]);
    // The message of the former driver turns up after all.
    await roundsOf(given)(startOf(given));
    expect(test.continued).toEqual([]);
    await roundsOf(given)({ ...startOf(given), attempt: 2 });
    expect(test.continued).toHaveLength(1);
  });

  it('is left alone in a dry run', async () => {
    const given = await drainWorld([webPod('web-1')]);
    const drain = createDrain({ ...given.world, dryRun: true }, { stepMs: STEP_MS, limit: NEVER });
    await drain(startOf(given), invocation());
    expect(given.test.continued).toEqual([]);
  });
});

it('a message that is none is refused, and so delivered again', async () => {
  const given = await drainWorld();
  await expect(roundsOf(given)({ cluster: WEB, ids: [], attempt: 1 })).rejects.toThrow('ids');
});
