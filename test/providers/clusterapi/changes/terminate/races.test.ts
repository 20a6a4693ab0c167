import { describe, expect, test } from 'vitest';
import { randomFrom } from '../../../../../core/model/values/random.ts';
import { Crash, managementStandIn, type StandIn, type StandInOptions } from '../group-stand-in.ts';

const SCHEDULES = Array.from({ length: 60 }, (_, seed) => seed + 1);

/** A group of six with a slow API server and controllers that see marks late, all at random. */
function randomGroup(seed: number, options: StandInOptions = {}): StandIn {
  const rng = randomFrom(seed * 7_919);
  return managementStandIn({
    kind: seed % 2 === 0 ? 'MachineSet' : 'MachineDeployment',
    replicas: 6,
    latency: rng() * 600,
    lag: rng() * 900,
    every: 20 + Math.floor(rng() * 900),
    seed,
    ...options,
  });
}

/** Asks again as a drain does, until it is certain what has become of the Machine. */
async function persistently(group: StandIn, machine: string): Promise<string> {
  for (let tries = 0; tries < 40; tries += 1) {
    const outcome = await group.begin(machine).catch((error: unknown) => {
      if (error instanceof Crash) {
        return { kind: 'failed', class: 'Timeout', code: 'crashed' } as const;
      }
      throw error;
    });
    if (outcome.kind !== 'failed') {
      return 'gone';
    }
    if (!['Timeout', 'Other', 'Throttled'].includes(outcome.class)) {
      return outcome.code;
    }
    await group.sleep(5_000);
  }
  return 'unsettled';
}

const all = (group: StandIn, machines: readonly string[]): Promise<readonly string[]> =>
  group.passing(Promise.all(machines.map((machine) => persistently(group, machine))));

const unwanted = (group: StandIn, wanted: readonly string[]): readonly string[] =>
  group.state.deleted.filter((name) => !wanted.includes(name));

describe('whatever the order in which requests and controllers act', () => {
  const wanted = ['m1', 'm3', 'm4'];

  test.each(SCHEDULES)('three terminations at once end these three Machines (%i)', async (seed) => {
    const group = randomGroup(seed);
    expect(await all(group, wanted)).toEqual(['gone', 'gone', 'gone']);
    await group.wait(30_000);
    expect(group.state.deleted.toSorted()).toEqual(wanted);
    expect(group.live()).toEqual(['m0', 'm2', 'm5']);
    expect(group.state.resource.replicas).toBe(3);
    expect(group.noted()).toEqual([]);
  });

  test.each(SCHEDULES)('of three at once, only those go that the minimum allows (%i)', async (seed) => {
    const group = randomGroup(seed, { min: 4 });
    const outcomes = await all(group, wanted);
    await group.wait(30_000);
    expect(outcomes.toSorted()).toEqual(['BelowMinSize', 'gone', 'gone']);
    expect(unwanted(group, wanted)).toEqual([]);
    expect(group.live()).toHaveLength(4);
    expect(group.state.resource.replicas).toBe(4);
    expect(group.noted()).toEqual([]);
  });

  test.each(SCHEDULES)('two attempts at one Machine end it, and it alone (%i)', async (seed) => {
    const group = randomGroup(seed);
    expect(await all(group, ['m1', 'm1'])).toEqual(['gone', 'gone']);
    await group.wait(30_000);
    expect(group.state.deleted).toEqual(['m1']);
    expect(group.state.resource.replicas).toBe(5);
  });

  test.each(SCHEDULES)('attempts that die anywhere and are made again end their Machines alone (%i)', async (seed) => {
    const group = randomGroup(seed);
    const rng = randomFrom(seed * 104_729);
    let deaths = 0;
    group.onRequest(() => {
      if (deaths < 6 && rng() < 0.1) {
        deaths += 1;
        throw new Crash();
      }
    });
    expect(await all(group, wanted)).toEqual(['gone', 'gone', 'gone']);
    await group.wait(30_000);
    expect(group.state.deleted.toSorted()).toEqual(wanted);
    expect(group.state.resource.replicas).toBe(3);
    expect(group.noted()).toEqual([]);
  });

  test.each(SCHEDULES)('another client that adds a Machine meanwhile ends none (%i)', async (seed) => {
    const group = randomGroup(seed);
    const at = randomFrom(seed)() * 4_000;
    void group.sleep(at).then(() => group.scaleTo(group.state.resource.replicas + 1));
    await all(group, ['m1', 'm3']);
    await group.wait(30_000);
    expect(unwanted(group, ['m1', 'm3'])).toEqual([]);
    expect(group.live()).toHaveLength(group.state.resource.replicas);
    expect(group.noted()).toEqual([]);
  });

  test.each(SCHEDULES)('another client that takes one away costs no more than that one (%i)', async (seed) => {
    const group = randomGroup(seed);
    const at = randomFrom(seed)() * 4_000;
    void group.sleep(at).then(() => group.scaleTo(group.state.resource.replicas - 1));
    await all(group, ['m1', 'm3']);
    await group.wait(30_000);
    expect(unwanted(group, ['m1', 'm3']).length).toBeLessThanOrEqual(1);
    expect(group.live()).toHaveLength(group.state.resource.replicas);
    expect(group.noted()).toEqual([]);
  });

  test.each(SCHEDULES)(
    'a Machine that another client deletes meanwhile is the only other one that goes (%i)',
    async (seed) => {
      const group = randomGroup(seed);
      const at = randomFrom(seed)() * 4_000;
      void group.sleep(at).then(() => group.remove('m0'));
      await all(group, ['m1', 'm3']);
      await group.wait(30_000);
      expect(unwanted(group, ['m1', 'm3'])).toEqual(['m0']);
      expect(group.live()).toHaveLength(group.state.resource.replicas);
      expect(group.noted()).toEqual([]);
    },
  );

  test.each(SCHEDULES)(
    'controllers that stop and start again end no Machine that was not asked for (%i)',
    async (seed) => {
      const group = randomGroup(seed);
      const rng = randomFrom(seed);
      void (async () => {
        await group.sleep(rng() * 3_000);
        group.runControllers(null);
        await group.sleep(rng() * 40_000);
        group.runControllers(200);
      })();
      expect(await all(group, ['m1', 'm3'])).toEqual(['gone', 'gone']);
      await group.wait(30_000);
      expect(group.state.deleted.toSorted()).toEqual(['m1', 'm3']);
      // A Machine that goes just when its size is being taken back is replaced.
      expect(group.live()).toHaveLength(group.state.resource.replicas);
      expect(group.noted()).toEqual([]);
    },
  );
});
