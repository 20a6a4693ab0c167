import { describe, expect, it } from 'vitest';
import { epochMs } from '../../core/model/values/time.ts';
import { hashOfToken } from '../../providers/kubernetes/webhook-token.ts';
import { createClock } from '../../simulation/clock.ts';
import { chanceFor } from '../../simulation/chance.ts';
import { queueTime } from '../../simulation/runtime/queue-time.ts';
import { virtualClock } from '../../simulation/runtime/virtual-clock.ts';
import { createRuntime, type RuntimeOptions } from '../../runtime/dispatch.ts';
import type { FunctionName } from '../../runtime/functions.ts';
import { type Invocations, sandboxes, Throttled } from '../../runtime/invocations.ts';
import { LAMBDA_RULES, type LambdaRules, LONGEST_CHAIN, ONE_ATTEMPT, STREAM } from '../../runtime/lambda-rules.ts';
import { IN_PROCESS } from '../../runtime/network.ts';
import type { FunctionServices } from '../../runtime/services.ts';
import { launchUnsuccessful } from '../../simulation/runtime/lambda-events.ts';
import { pod } from '../builders.ts';
import { commitOf, intentOf } from '../providers/state-store.contract.ts';
import { group } from '../scenario-builders.ts';
import { testWorld, WEB } from '../functions/test-world.ts';

/** A runtime on virtual time, around a cluster with one group and one pod that waits. */
function simulation(given: Partial<RuntimeOptions> = {}) {
  const clock = createClock(epochMs(Date.UTC(2026, 0, 1, 9)));
  const world = testWorld({
    groups: [group('a')],
    objects: { pods: [pod('p', { requests: { cpu: 1 }, owner: 'ReplicaSet/p' })] },
  });
  const failures: FunctionName[] = [];
  const options: RuntimeOptions = {
    cluster: world.cluster(WEB)!,
    store: world.store,
    drains: world.drains,
    clock: virtualClock(clock),
    queueTime: queueTime(clock, chanceFor(1, 'queue')),
    network: IN_PROCESS,
    tokenHashes: [hashOfToken('secret')],
    dryRun: false,
    log: world.log,
    scheduleMs: 60_000,
    visibilityTimeoutMs: 60_000,
    stream: STREAM,
    rules: LAMBDA_RULES,
    invocations: sandboxes({ clock, timeoutMs: () => 50_000 }),
    onFailure: (name) => failures.push(name),
    onGivenUp: () => {},
    ...given,
  };
  const runtime = createRuntime(options);
  const begin = clock.now();
  const run = (seconds: number): Promise<void> =>
    clock.run({ done: () => false, until: epochMs(clock.now() + seconds * 1_000) });
  return { runtime, world, failures, run, elapsed: () => (clock.now() - begin) / 1_000 };
}

/** The stack's rules, with others for one function. */
const rulesOf = (name: FunctionName, rules: Partial<LambdaRules[FunctionName]>): LambdaRules => ({
  ...LAMBDA_RULES,
  [name]: { ...LAMBDA_RULES[name], ...rules },
});

/** Invocations that are noted, and do what `work` says instead of the function's own. */
const noted =
  (work: (name: FunctionName, event: unknown, world: FunctionServices) => Promise<unknown>): Invocations =>
  (worldFor) =>
  async (target, event) =>
    (await work(target.name, event, worldFor({}))) as never;

/** Invocations of which the names are noted and that do nothing. */
function startings() {
  const started: FunctionName[] = [];
  const invocations = noted(async (name) => {
    started.push(name);
    return { batchItemFailures: [] };
  });
  return { started, invocations };
}

describe('a runtime in one process', () => {
  it('evaluates scale-up and scale-down, and resumes what was left behind, each time the interval of its schedules has passed', async () => {
    const { started, invocations } = startings();
    const { runtime, run } = simulation({ invocations });
    runtime.start();
    await run(59);
    expect(started).toEqual([]);
    await run(2);
    expect(started.toSorted()).toEqual(['actuate', 'scale-down', 'scale-up']);
    await run(60);
    expect(started).toHaveLength(6);
  });

  it('starts with the schedules, where that is wanted', async () => {
    const { started, invocations } = startings();
    const { runtime, run } = simulation({ invocations });
    runtime.start({ atOnce: true });
    await run(1);
    expect(started.toSorted()).toEqual(['actuate', 'scale-down', 'scale-up']);
  });

  it('does what a schedule does when it is told to: an evaluation, or a resumption', async () => {
    const { started, invocations } = startings();
    const { runtime, run } = simulation({ invocations });
    runtime.fire('resumption');
    runtime.fire('scale-up');
    runtime.fire('scale-down');
    await run(1);
    expect(started.toSorted()).toEqual(['actuate', 'scale-down', 'scale-up']);
  });

  it('announces the intents of a commit in batches no larger than those of the stream', async () => {
    const sizes: number[] = [];
    const { runtime, run } = simulation({
      stream: { kind: 'messages', outboxBatch: 2, outbox: ONE_ATTEMPT, inbox: ONE_ATTEMPT },
      invocations: noted(async (name, event, world) => {
        if (name === 'actuate') {
          sizes.push((event as { readonly Records: readonly unknown[] }).Records.length);
        } else {
          const intents = ['a', 'b', 'c'].map((one) => intentOf(1, one, { id: `${one.charCodeAt(0)}-${one}` }));
          await world.store.commit(WEB, commitOf(0, { intents }));
        }
        return { batchItemFailures: [] };
      }),
    });
    runtime.fire('scale-up');
    await run(1);
    expect(sizes).toEqual([2, 1]);
  });

  it('repeats a failed delivery after each of the waits, reports each failure, and then gives up', async () => {
    const attempts: number[] = [];
    const { runtime, run, failures, elapsed } = simulation({
      rules: rulesOf('wake', { attempts: { waitsMs: [1_000, 2_000], maxAgeMs: 60_000 } }),
      invocations: noted(() => {
        attempts.push(elapsed());
        return Promise.reject(new Error('no'));
      }),
    });
    runtime.report('a launch failure', launchUnsuccessful(epochMs(0)));
    await run(60);
    expect(attempts).toEqual([0, 1, 3]);
    expect(failures).toEqual(['wake', 'wake', 'wake']);
  });

  it('delivers an event for which Lambda has no concurrency for as long as Lambda keeps it, each wait twice as long', async () => {
    const attempts: number[] = [];
    const { runtime, run, elapsed } = simulation({
      rules: rulesOf('wake', { attempts: { waitsMs: [], maxAgeMs: 10_000 } }),
      invocations: noted((name) => {
        attempts.push(elapsed());
        return Promise.reject(new Throttled(name));
      }),
    });
    runtime.report('a launch failure', launchUnsuccessful(epochMs(0)));
    await run(60);
    expect(attempts).toEqual([0, 1, 3, 7]);
  });

  const round = { cluster: WEB, ids: ['a'], attempt: 1 };
  it.each<[string, FunctionName, 'scale-up' | 'scale-down', (world: FunctionServices) => Promise<void>]>([
    ['messages of the queue', 'scale-up', 'scale-up', (world) => world.wakeAtOnce(WEB)],
    ['messages of drains', 'drain', 'scale-down', (world) => world.continueDrains(round, 1_000)],
    ['Invoke', 'scale-down', 'scale-down', (world) => world.startScaleDown(WEB)],
  ])('stops a chain of invocations by %s after sixteen, unless %s may recur', async (_, name, first, send) => {
    for (const mayRecur of [false, true]) {
      let count = 0;
      const invocations = noted(async (__, ___, world) => {
        count += 1;
        if (count < 50) {
          await send(world);
        }
        return { batchItemFailures: [] };
      });
      const { runtime, run } = simulation({ invocations, rules: rulesOf(name, { mayRecur }), scheduleMs: 3_600_000 });
      runtime.fire(first);
      // oxlint-disable-next-line no-await-in-loop
      await run(600);
      expect(count).toBe(mayRecur ? 50 : LONGEST_CHAIN);
    }
  });

  it('begins a chain anew with each record of a stream', async () => {
    const chains: number[] = [];
    const { runtime, run } = simulation({
      invocations: noted(async (name, _, world) => {
        chains.push(chains.length);
        if (name === 'actuate' && chains.length < 40) {
          await world.startScaleDown(WEB);
        }
        if (name === 'scale-down') {
          const intents = [intentOf(chains.length, 'a', { id: `a-${chains.length}` })];
          await world.store.commit(WEB, commitOf((chains.length - 1) / 2, { intents }));
        }
      }),
    });
    runtime.fire('scale-down');
    await run(30);
    expect(chains.length).toBeGreaterThan(2 * LONGEST_CHAIN);
  });

  it('starts nothing on schedule once it is closed', async () => {
    const { started, invocations } = startings();
    const { runtime, run } = simulation({ invocations });
    runtime.start();
    await runtime.close();
    await run(300);
    expect(started).toEqual([]);
  });
});
