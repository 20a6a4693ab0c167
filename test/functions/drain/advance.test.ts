import { describe, expect, it } from 'vitest';
import type { Drain, DrainOutcome, DrainPhase, StoredDrain } from '../../../core/model/drain.ts';
import type { Pause } from '../../../core/model/pause.ts';
import type { DrainChange } from '../../../core/ports/drain-store.ts';
import { groupName, instanceId, nodeName } from '../../../core/model/values/names.ts';
import { addTime, epochMs, seconds } from '../../../core/model/values/time.ts';
import { leaseOf } from '../../../core/drain/drivers.ts';
import { STEP_MS } from '../../../functions/drain/step-limits.ts';
import { marksOn, webPod } from '../../core/drain/one-node-world.ts';
import { commitOf, intentOf } from '../../providers/state-store.contract.ts';
import { NOW } from '../../scenario-builders.ts';
import { WEB } from '../test-world.ts';
import { type DrainWorld, drainWorld } from './drain-world.ts';
import { driveDrains } from './drive-drains.ts';

/** Two of the longest steps, in milliseconds. */
const TWO_STEPS = 80_000;
const LEASE = leaseOf(STEP_MS);
const HOUR = 3_600_000;

type Wait = (ms: number) => Promise<void>;

const drive = ({ world, drain }: DrainWorld, attempt = 1, wait: Wait = world.sleep): Promise<void> =>
  driveDrains(world, { cluster: WEB, ids: [drain.id], attempt }, { wait });

const rolledBack: DrainOutcome = {
  kind: 'rolledBack',
  at: epochMs(0),
  failure: 'FailedToEvictPods',
  blocker: null,
  message: '',
  pod: null,
};

const stored = async ({ test, drain }: DrainWorld): Promise<StoredDrain> => (await test.drains.load(WEB, drain.id))!;

const changes = ({ test }: DrainWorld): readonly string[] =>
  test.lines.flatMap(({ fields: { from, to } }) => (typeof from === 'string' ? [`${from} → ${to as string}`] : []));

describe('a drive', () => {
  it('takes a node out of the cluster, and says what it does', async () => {
    const given = await drainWorld([webPod('web-1'), webPod('web-2')]);
    await drive(given);

    const { drain } = await stored(given);
    expect(drain.phase).toBe('Removed');
    expect(drain.evictions.map(({ pod }) => pod)).toEqual(['default/web-1', 'default/web-2']);
    expect(given.node.ended()).toBe(1);
    expect(changes(given)).toEqual([
      'Tainting → Validating',
      'Validating → Evicting',
      'Evicting → DeletionDelay',
      'DeletionDelay → Terminating',
      'Terminating → AwaitingTermination',
      'AwaitingTermination → Removed',
    ]);
    expect(given.events.map(({ about, reason, message }) => `${about.kind} ${reason} ${message}`)).toEqual([
      'Node ScaleDown marked the node as toBeDeleted/unschedulable',
      'Pod ScaleDown deleting pod for node scale down',
      'Pod ScaleDown deleting pod for node scale down',
      'Node ScaleDown node removed by Outrigger',
    ]);
    expect(given.test.counts.get('NodesRemoved')).toBe(1);
    expect(given.test.scaleDowns).toHaveLength(1);
  });

  it('of a node that goes with others of its group waits until they are drained, and stays where one of them stays', async () => {
    for (const phase of ['Removed', 'RolledBack'] as const) {
      const given = await drainWorld([], 'empty', { together: 2 });
      const { test, drain } = given;
      const sibling = { ...drain, id: drain.id.replace('n1', 'n2'), node: nodeName('n2'), phase: 'Evicting' as const };
      const held = { attempt: 1, drivenUntil: addTime(test.now(), seconds(600)) };
      await test.drains.create(WEB, { drain: sibling, ...held });
      const ends = addTime(test.now(), seconds(60));
      given.beforeCall = (what) => {
        if (what === 'readInstance' && test.now() >= ends && sibling.phase === 'Evicting') {
          const outcome = phase === 'Removed' ? null : rolledBack;
          Object.assign(sibling, { phase });
          void test.drains.save(WEB, { drain: { ...sibling, phase, outcome }, ...held }, 1);
        }
      };
      await drive(given);
      expect((await stored(given)).drain.phase).toBe(phase);
      expect(given.node.ended()).toBe(phase === 'Removed' ? 1 : 0);
      expect(test.now()).toBeGreaterThanOrEqual(ends);
    }
  });

  it.each([
    ['stays where that of another one is back', 'InstanceNotInGroup', 'in group', 'RolledBack'],
    ['goes while that of another one is in Standby', 'InstanceNotInGroup', 'aside', 'Removed'],
    ['goes where that of another one is gone', 'InstanceNotInGroup', 'gone', 'Removed'],
    ['goes where the Node of another one is gone', 'NodeGone', 'in group', 'Removed'],
  ] as const)('of a group of which instances leave together %s', async (_, blocker, state, phase) => {
    const given = await drainWorld([], 'empty', { together: 2 });
    const { test, drain, instances } = given;
    const outcome = { ...rolledBack, failure: 'Gone', blocker } as const;
    const sibling: Drain = {
      ...drain,
      id: drain.id.replace('n1', 'n2'),
      node: nodeName('n2'),
      instance: instanceId('i-n2'),
      phase: 'RolledBack',
      outcome,
    };
    instances.set(sibling.instance, { state, size: null });
    await test.drains.create(WEB, { drain: sibling, attempt: 1, drivenUntil: addTime(test.now(), seconds(600)) });
    await drive(given);
    expect((await stored(given)).drain.phase).toBe(phase);
    expect(given.node.ended()).toBe(phase === 'Removed' ? 1 : 0);
  });

  it('asks one pod after another to go: the replacement of the first is the first to be scheduled', async () => {
    const given = await drainWorld(['web-1', 'web-2', 'web-3'].map((name) => webPod(name)));
    const calls: string[] = [];
    given.beforeCall = (what) => void (what === 'evict' && calls.push('asked'));
    given.afterCall = (what) => void (what === 'evict' && calls.push('answered'));
    await drive(given);
    expect(calls).toEqual(['asked', 'answered', 'asked', 'answered', 'asked', 'answered']);
  });

  it('of an empty node takes little longer than the scheduler is given to see the taint', async () => {
    const given = await drainWorld([], 'empty');
    await drive(given);
    expect((await stored(given)).drain.phase).toBe('Removed');
    expect(given.test.counts.get('DrainTime')).toBeLessThanOrEqual(10_000);
  });

  it('ends no instance while the size of its group is being set', async () => {
    const given = await drainWorld([], 'empty');
    const { test, drain } = given;
    const claimedUntil = addTime(test.now(), seconds(60));
    const intent = intentOf(1, drain.group, { from: 3, to: 4, claimedUntil });
    await test.store.commit(WEB, commitOf(0, { intents: [intent] }));
    await drive(given);
    expect((await stored(given)).drain.phase).toBe('Removed');
    expect(given.node.ended()).toBe(1);
    expect(test.now()).toBeGreaterThanOrEqual(claimedUntil);
  });

  it('of several drains goes on with those that can be driven', async () => {
    const given = await drainWorld([], 'empty');
    const { world, drain } = given;
    await driveDrains(world, { cluster: WEB, ids: ['8-web/other', drain.id], attempt: 1 });
    expect((await stored(given)).drain.phase).toBe('Removed');
  });

  it('that cannot go on frees the node, and says why', async () => {
    const given = await drainWorld([webPod('web-1', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })]);
    await drive(given);
    const { drain } = await stored(given);
    expect(drain).toMatchObject({
      phase: 'RolledBack',
      outcome: { failure: 'NoLongerRemovable', pod: 'default/web-1' },
    });
    expect(marksOn(given.node.node!)).toEqual([]);
    expect(given.node.pods).toHaveLength(1);
    expect(given.test.counts.get('DrainsRolledBack')).toBe(1);
    expect(given.test.lines.find(({ level }) => level === 'warn')?.message).toContain('stays: pod default/web-1');
    expect(given.test.scaleDowns).toHaveLength(1);
  });

  it('says until when it will have written again', async () => {
    const given = await drainWorld();
    let rounds = 0;
    await drive(given, 1, async (ms) => {
      const { drain, drivenUntil } = await stored(given);
      expect(drivenUntil).toBe(addTime(drain.nextAt, LEASE));
      rounds += 1;
      await given.world.sleep(ms);
    });
    expect(rounds).toBeGreaterThan(2);
  });

  it('leaves a drain alone that has another driver by now', async () => {
    const given = await drainWorld([webPod('web-1')]);
    const { drain, revision } = await stored(given);
    await given.test.drains.save(WEB, { drain, attempt: 2, drivenUntil: addTime(given.test.now(), LEASE) }, revision);
    await drive(given);
    expect(marksOn(given.node.node!)).toEqual([]);
    expect((await stored(given)).revision).toBe(revision + 1);
  });

  it('stops when another driver takes over in the middle of it', async () => {
    const given = await drainWorld([webPod('web-1')]);
    await drive(given, 1, async (ms) => {
      await given.world.sleep(ms);
      const { drain, revision, attempt } = await stored(given);
      const change = { drain, attempt: attempt + 1, drivenUntil: addTime(given.test.now(), LEASE) };
      await given.test.drains.save(WEB, change, revision);
    });
    expect((await stored(given)).drain.phase).toBe('Tainting');
    await drive(given, 2);
    expect((await stored(given)).drain.phase).toBe('Removed');
  });

  it('does nothing in a dry run, nor for clusters that are not known', async () => {
    const given = await drainWorld([webPod('web-1')]);
    const start = { cluster: WEB, ids: [given.drain.id], attempt: 1 };
    await driveDrains({ ...given.world, dryRun: true }, start);
    await driveDrains({ ...given.world, cluster: () => null }, start);
    expect((await stored(given)).revision).toBe(1);
  });

  it.each([
    ['goes on when the cluster can be read again, and holds the drain until then', 240_000, 'Removed', 1],
    ['leaves the node where it is when that takes too long for the decision', 360_000, 'RolledBack', 0],
  ])('%s', async (_, length, phase, ended) => {
    const given = await drainWorld([webPod('web-1')]);
    const until = given.test.time + length;
    given.beforeCall = (what) => {
      if (what === 'readNode' && given.test.time < until) {
        throw new Error('connection refused');
      }
    };
    await drive(given, 1, async (ms) => {
      expect((await stored(given)).drivenUntil).toBeGreaterThan(given.test.time + ms);
      await given.world.sleep(ms);
    });
    expect((await stored(given)).drain.phase).toBe(phase);
    expect(given.node.ended()).toBe(ended);
  });

  it('goes on when the store answers again', async () => {
    const given = await drainWorld([webPod('web-1')]);
    let calls = 0;
    given.beforeCall = (what) => {
      if ((what === 'load' || what === 'save') && (calls += 1) % 3 === 0) {
        throw new Error('no route to host');
      }
    };
    await drive(given);
    expect((await stored(given)).drain.phase).toBe('Removed');
    expect(given.node.ended()).toBe(1);
  });

  it('does not take a node for gone that cannot be read', async () => {
    const given = await drainWorld([webPod('web-1')]);
    given.rejected = [{ place: 'Node number 1 of its page', expected: 'a Node in protobuf', found: 'nonsense' }];
    given.beforeCall = () => {
      given.rejected = given.test.time > 1_767_268_800_000 + 60_000 ? [] : given.rejected;
    };
    await drive(given);
    expect((await stored(given)).drain.phase).toBe('Removed');
  });

  it('ends no instance under a pod that cannot be read', async () => {
    const given = await drainWorld([webPod('web-1')]);
    given.rejected = [{ place: 'Pod default/odd: spec', expected: 'a mapping', found: '7' }];
    await drive(given);
    expect((await stored(given)).drain).toMatchObject({
      phase: 'RolledBack',
      outcome: { failure: 'NoLongerRemovable' },
    });
    expect(given.node.ended()).toBe(0);
  });
});

class Killed extends Error {}

/** Waits; once a round has ended in this phase, does something, once. */
function inPhaseOnce(given: DrainWorld, phase: DrainPhase, act: () => void): Wait {
  let done = false;
  return async (ms) => {
    await given.world.sleep(ms);
    if (!done && (await stored(given)).drain.phase === phase) {
      done = true;
      act();
    }
  };
}

const failing =
  (...calls: readonly string[]) =>
  (what: string): void => {
    if (calls.includes(what)) {
      throw new Error('refused by the API server');
    }
  };

describe('a drive that gets nowhere', () => {
  const pods = () => [webPod('web-1'), webPod('web-2')];

  it('for a quarter of an hour, since its pods cannot be checked, is taken back, and frees the node', async () => {
    const given = await drainWorld(pods());
    const begun = given.test.time;
    const wait = inPhaseOnce(given, 'Evicting', () => {
      given.beforeCall = failing('readNode');
    });
    await drive(given, 1, wait);
    expect((await stored(given)).drain).toMatchObject({
      phase: 'RolledBack',
      outcome: { failure: 'InternalError', message: expect.stringMatching(/not be checked for 15m: refused by/) },
    });
    expect(marksOn(given.node.node!)).toEqual([]);
    expect(given.test.time - begun).toBeLessThan(20 * 60_000);
    expect(given.node.ended()).toBe(0);
  });

  it('and cannot see the node itself, asks ever more seldom, and frees the node once it can', async () => {
    const given = await drainWorld(pods());
    const until = given.test.time + 6 * HOUR;
    let reads = 0;
    const wait = inPhaseOnce(given, 'Evicting', () => {
      given.beforeCall = (what) => {
        if (what.startsWith('readNode') && given.test.time < until) {
          reads += 1;
          throw new Error('refused by the API server');
        }
      };
    });
    await drive(given, 1, wait);
    expect((await stored(given)).drain.phase).toBe('RolledBack');
    expect(marksOn(given.node.node!)).toEqual([]);
    expect(given.test.time - until).toBeLessThan(3 * 60_000);
    expect(reads).toBeLessThan(300);
  });

  it('for what it has found cannot be worked out, is taken back all the same', async () => {
    const given = await drainWorld(pods());
    const wait = inPhaseOnce(given, 'Evicting', () => {
      given.node.pods.push({ ...webPod('odd'), spec: null as never });
    });
    await drive(given, 1, wait);
    expect((await stored(given)).drain).toMatchObject({ phase: 'RolledBack', outcome: { failure: 'InternalError' } });
    expect(marksOn(given.node.node!)).toEqual([]);
  });

  it('for longer than a drain may take at all, is taken back without another check', async () => {
    const given = await drainWorld(pods());
    const begun = given.test.time;
    const wait = inPhaseOnce(given, 'Evicting', () => {
      given.beforeCall = (what) => {
        if (what === 'save' && given.test.time - begun < 2 * HOUR) {
          throw new Error('no route to host');
        }
        failing('readNode')(what);
      };
    });
    await drive(given, 1, wait);
    expect((await stored(given)).drain).toMatchObject({
      phase: 'RolledBack',
      outcome: { message: 'it has not ended in 1h42m5s' },
    });
    expect(given.test.time - begun).toBeLessThan(2 * HOUR + 60_000);
  });

  it('waits half an hour for an instance whose end was asked for before it takes its node back', async () => {
    const given = await drainWorld();
    given.node.lies = true;
    const wait = inPhaseOnce(given, 'Terminating', () => {
      given.beforeCall = failing('readNode', 'readInstance');
    });
    const begun = given.test.time;
    await drive(given, 1, wait);
    expect((await stored(given)).drain.phase).toBe('RolledBack');
    expect(given.test.time - begun).toBeGreaterThan(30 * 60_000);
    expect(given.test.time - begun).toBeLessThan(35 * 60_000);
  });
});

describe('a drive with pods that are large', () => {
  const labels = (bytes: number) =>
    Object.fromEntries(Array.from({ length: Math.ceil(bytes / 70) }, (_, n) => [`l${n}`, 'x'.repeat(63)]));
  /** A store that refuses what an item would not hold. */
  const withLimit = (given: DrainWorld, fits: (change: DrainChange) => boolean): DrainWorld => ({
    ...given,
    world: {
      ...given.world,
      drains: {
        ...given.world.drains,
        save: async (cluster, change, ...rest) =>
          fits(change) ? await given.world.drains.save(cluster, change, ...rest) : 'too large',
      },
    },
  });

  it('takes their node out of the cluster, and remembers of them what re-planning reads', async () => {
    const given = withLimit(
      await drainWorld([webPod('web-1', { labels: labels(900_000) }), webPod('web-2')]),
      ({ drain }) => JSON.stringify(drain).length < 400_000,
    );
    await drive(given);
    expect((await stored(given)).drain.phase).toBe('Removed');
  });

  it('that come while others are evicted, and cannot be stored at all, is taken back', async () => {
    const given = withLimit(
      await drainWorld([webPod('web-1')]),
      ({ drain }) => !drain.evictions.some(({ pod }) => pod === 'default/late'),
    );
    const wait = inPhaseOnce(given, 'Evicting', () => given.node.pods.push(webPod('late')));
    const begun = given.test.time;
    await drive(given, 1, wait);
    expect((await stored(given)).drain).toMatchObject({
      phase: 'RolledBack',
      evictions: [],
      outcome: { failure: 'InternalError', message: expect.stringContaining('too large to be stored') },
    });
    expect(marksOn(given.node.node!)).toEqual([]);
    expect(given.test.time - begun).toBeLessThan(5 * 60_000);
  });
});

describe('a drive that is overtaken', () => {
  it('in the middle of a step makes none of its effects', async () => {
    const given = await drainWorld([webPod('web-1')]);
    const asked: string[] = [];
    given.beforeCall = (what) => void asked.push(what);
    const drains = { ...given.world.drains, save: async () => null };
    await drive({ ...given, world: { ...given.world, drains } });
    expect(asked).toContain('readNode');
    expect(asked.filter((what) => ['changeNode', 'evict', 'terminate'].includes(what))).toEqual([]);
    expect(given.events).toEqual([]);
  });

  it('between two steps takes no answer to its own step for one to the other’s', async () => {
    const given = await drainWorld([], 'empty');
    let undone = false;
    given.node.lies = true;
    await drive(given, 1, async (ms) => {
      const { drain, revision, attempt } = await stored(given);
      if (!undone && drain.terminateAskedAt !== null) {
        // The cloud has agreed, and does not do it. What is stored by another driver does not know of that answer.
        undone = true;
        given.node.lies = false;
        await given.test.drains.save(WEB, { drain, attempt, drivenUntil: addTime(drain.nextAt, LEASE) }, revision);
      }
      await given.world.sleep(ms);
    });
    expect(undone).toBe(true);
    expect((await stored(given)).drain.phase).toBe('Terminating');
    // The message of the other driver.
    await drive(given);
    expect(changes(given)).toContain('Terminating → AwaitingTermination');
    // By the answer it would have been taken for ended; by the world, it has to be asked for again.
    expect(given.node.ended()).toBe(2);
    expect((await stored(given)).drain.phase).toBe('Removed');
  });

  it('is so no sooner than twice the time that a step may take has passed', () => {
    expect(STEP_MS).toBeLessThanOrEqual(40_000);
    expect(LEASE).toBeGreaterThanOrEqual(TWO_STEPS);
  });
});

it('a drive in a process that ends stops, instead of trying again', async () => {
  const given = await drainWorld([webPod('web-1')]);
  const stop = new AbortController();
  given.beforeCall = (what) => {
    if (what === 'load') {
      stop.abort(new Error('the process ends'));
      throw new Error('no route to host');
    }
  };
  const request = { cluster: WEB, ids: [given.drain.id], attempt: 1 };
  let waits = 0;
  const wait: Wait = async () => void (waits += 1);
  await expect(driveDrains(given.world, request, { wait, signal: stop.signal })).rejects.toThrow('the process ends');
  await expect(driveDrains(given.world, request, { wait, signal: stop.signal })).rejects.toThrow('the process ends');
  expect(waits).toBe(0);
});

/** Drives until the process is killed at this call; afterwards it does nothing any more. */
async function killedAt(given: DrainWorld, call: number, when: 'before' | 'after'): Promise<boolean> {
  let calls = 0;
  let dead = false;
  const count = (at: 'before' | 'after') => (): void => {
    calls += at === when ? 1 : 0;
    dead ||= at === when && calls === call;
    if (dead) {
      throw new Killed();
    }
  };
  given.beforeCall = count('before');
  given.afterCall = count('after');
  try {
    await drive(given, 1, async (ms) => {
      if (dead) {
        throw new Killed();
      }
      await given.world.sleep(ms);
    });
  } catch (error) {
    if (!(error instanceof Killed)) {
      throw error;
    }
  }
  given.beforeCall = () => {};
  given.afterCall = () => {};
  return dead;
}

describe('a drive that is killed', () => {
  it.each(['before', 'after'] as const)(
    '%s any of its calls is driven on, and ends one instance once',
    async (when) => {
      const ends: string[] = [];
      for (let call = 1; ; call++) {
        const given = await drainWorld([webPod('web-1'), webPod('web-2')]);
        if (!(await killedAt(given, call, when))) {
          break;
        }
        const { drain, revision, drivenUntil } = await stored(given);
        given.test.time = Math.max(given.test.time, drivenUntil) + 1;
        const change = { drain, attempt: 2, drivenUntil: addTime(given.test.now(), seconds(60)) };
        await given.test.drains.save(WEB, change, revision);
        await drive(given, 2);
        ends.push(`${(await stored(given)).drain.phase}, ended ${given.node.ended()}`);
      }
      expect(ends.length).toBeGreaterThan(30);
      expect(new Set(ends)).toEqual(new Set(['Removed, ended 1']));
    },
  );
});

describe('a drive while scale-down is paused', () => {
  const pause: Pause = { part: 'ScaleDown', group: null, until: null, cancelDrains: false, source: 'Command' };
  const noticed: Partial<Drain> = {
    notice: { kind: 'SpotInterruption', deadline: addTime(NOW, seconds(120)), hook: null },
  };
  const harmful = new Set(['evict', 'terminate', 'changeNode']);

  /** Pauses when the drain has come to a phase; `calls`: those that change something while it is paused. */
  async function pausedIn(
    phase: DrainPhase,
    pauses: readonly Pause[],
    { extra = {}, resumedAfter }: { readonly extra?: Partial<Drain>; readonly resumedAfter?: number } = {},
  ): Promise<{ readonly given: DrainWorld; readonly calls: readonly string[] }> {
    const given = await drainWorld([webPod('web-1'), webPod('web-2')], 'drain', extra);
    const calls: string[] = [];
    const { store } = given.test;
    let pausedAt: number | null = null;
    await drive(given, 1, async (ms) => {
      await given.world.sleep(ms);
      if (pausedAt === null && (await stored(given)).drain.phase === phase) {
        pausedAt = given.test.time;
        await Promise.all(pauses.map(async (one) => await store.addPause(WEB, one)));
        given.beforeCall = (what) => void (harmful.has(what) && calls.push(what));
      }
      if (pausedAt !== null && resumedAfter !== undefined && given.test.time >= pausedAt + resumedAfter) {
        await store.removePauses(WEB, null);
        given.beforeCall = () => {};
      }
    });
    expect(pausedAt).not.toBeNull();
    return { given, calls };
  }

  it.each<[DrainPhase]>([['Validating'], ['Evicting']])(
    'stops in the phase %s, and goes on when it is resumed',
    async (phase) => {
      const { given, calls } = await pausedIn(phase, [pause], { resumedAfter: 120_000 });
      expect(calls).toEqual([]);
      expect((await stored(given)).drain.phase).toBe('Removed');
      expect(given.node.ended()).toBe(1);
    },
  );

  it('says so, and frees its node when it has been held for the longest time of a drain', async () => {
    const { given, calls } = await pausedIn('Evicting', [pause]);
    // Both pods had been asked to go: the drain is held before its instance is terminated.
    expect(calls).toEqual(['changeNode']);
    expect((await stored(given)).drain).toMatchObject({ phase: 'RolledBack', outcome: { blocker: 'TimeUp' } });
    expect([marksOn(given.node.node!), given.node.ended()]).toEqual([[], 0]);
  });

  it.each<[DrainPhase]>([['Validating'], ['Evicting']])(
    'is rolled back in the phase %s where the pause cancels drains',
    async (phase) => {
      const { given, calls } = await pausedIn(phase, [{ ...pause, cancelDrains: true }]);
      expect(calls).toEqual(['changeNode']);
      expect((await stored(given)).drain).toMatchObject({
        phase: 'RolledBack',
        outcome: {
          failure: 'NoLongerRemovable',
          blocker: 'Paused',
          message: 'scale-down is paused until it is resumed, by outrigger pause; drains are rolled back',
        },
      });
      expect([marksOn(given.node.node!), given.node.ended()]).toEqual([[], 0]);
    },
  );

  it('does not begin', async () => {
    const given = await drainWorld([webPod('web-1')]);
    await given.test.store.addPause(WEB, pause);
    await drive(given);
    expect((await stored(given)).drain).toMatchObject({ phase: 'RolledBack', outcome: { blocker: 'Paused' } });
    expect(given.node.ended()).toBe(0);
  });

  it.each<[what: string, pause: Pause, extra: Partial<Drain>, phase: DrainPhase]>([
    ['in another node group', { ...pause, group: groupName('other') }, {}, 'Removed'],
    ['of scale-up alone', { ...pause, part: 'ScaleUp' }, {}, 'Removed'],
    ['of a node whose instance the cloud ends', pause, noticed, 'Removed'],
    ['of everything, of such a node', { ...pause, part: 'All', cancelDrains: true }, noticed, 'Removed'],
  ])('%s', async (_, one, extra, phase) => {
    const { given } = await pausedIn('Evicting', [one], { extra });
    expect((await stored(given)).drain.phase).toBe(phase);
  });

  it('by an annotation of the cluster alone, is rolled back as well', async () => {
    const given = await drainWorld([webPod('web-1')]);
    const cluster = given.world.cluster(WEB)!;
    const reader = {
      ...cluster.reader,
      pause: async () => ({ ...pause, source: 'ConfigMap' as const, cancelDrains: true }),
    };
    await drive({ ...given, world: { ...given.world, cluster: () => ({ ...cluster, reader }) } });
    expect((await stored(given)).drain).toMatchObject({ phase: 'RolledBack', outcome: { blocker: 'Paused' } });
  });

  it('waits while it is not known whether it is paused, and is given up where that does not become known', async () => {
    const given = await drainWorld([webPod('web-1')]);
    const { store } = given.world;
    const unknown = async () => await Promise.reject(new Error('throttled'));
    const other = await drainWorld([webPod('web-1')]);
    await drive({ ...other, world: { ...other.world, store: { ...other.test.store, pauses: unknown } } });
    expect((await stored(other)).drain).toMatchObject({ phase: 'RolledBack', outcome: { blocker: 'Unobservable' } });

    let failures = 3;
    const pauses: typeof store.pauses = async (...call) => {
      failures -= 1;
      return failures >= 0 ? Promise.reject(new Error('throttled')) : await store.pauses(...call);
    };
    await drive({ ...given, world: { ...given.world, store: { ...store, pauses } } });
    expect([failures < 0, (await stored(given)).drain.phase]).toEqual([true, 'Removed']);
  });
});
