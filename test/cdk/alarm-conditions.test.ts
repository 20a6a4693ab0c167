import type { SQSEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { longestDrain } from '../../core/drain/limits.ts';
import { defaultOptions } from '../../core/model/options.ts';
import { AWAITING_PODS_TAINT, type Taint, TO_BE_DELETED_TAINT } from '../../core/model/cluster/node.ts';
import { dryRunOf } from '../../core/actuation/commit/dry-run-state.ts';
import { type EpochMs, epochMs, minutes, seconds } from '../../core/model/values/time.ts';
import { scaleDownHandler } from '../../functions/scale-down/scale-down.ts';
import { scaleUpHandler } from '../../functions/scale-up/scale-up.ts';
import { createMemoryDrains } from '../../providers/memory/drains.ts';
import { createMemoryStore } from '../../providers/memory/store.ts';
import { TIMEOUTS_MS } from '../../runtime/lambda-rules.ts';
import { sandboxes } from '../../runtime/invocations.ts';
import { simulatedNetwork, startSimulatedRuntime } from '../../simulation/runtime/simulated-runtime.ts';
import { node, pod } from '../builders.ts';
import {
  invocation,
  notification,
  sqsEvent,
  testWorld as functionsWorld,
  type TestWorldGiven,
  scan,
  WEB,
} from '../functions/test-world.ts';
import { agent, deployment, scalingGroup, testWorld } from '../simulation/builders.ts';
import { evaluateScaleUp } from '../../core/evaluate.ts';
import { EMPTY_STATE } from '../../core/model/state.ts';
import { launchFailure, request } from '../core/registry/given.ts';
import { group, NOW, scenario } from '../scenario-builders.ts';
import { type AlarmProperties, type Datapoint, isInAlarm } from './alarm-states.ts';
import { templateFor } from './stack-for.ts';

const template = templateFor();
const alarmOf = (name: string): AlarmProperties =>
  Object.entries(template.findResources('AWS::CloudWatch::Alarm')).find(([id]) => id.startsWith(name))![1]
    .Properties as AlarmProperties;
const evaluationsFail = alarmOf('EvaluationsFail');
const needsCorrection = alarmOf('NeedsCorrection');

const MINUTE = minutes(1);

/** A metric of SQS itself. */
const deleted = (at: number, value: number): Datapoint => ({
  namespace: 'AWS/SQS',
  metric: 'NumberOfMessagesDeleted',
  dimensions: { QueueName: evaluationsFail.Dimensions[0]!.Value },
  at,
  value,
});

/** A metric of a function's own, with the dimensions that Powertools gives it. */
const own = (service: string, metric: string, at: number, value: number): Datapoint => ({
  namespace: 'Outrigger',
  metric,
  dimensions: { service, cluster: 'web' },
  at,
  value,
});

/**
 * The functions at work for a while in a simulated cluster whose API server is away between two times, and what they
 * publish. All times are milliseconds from the start.
 */
async function outage(from: number, to: number, until: number) {
  const world = testWorld([scalingGroup('a', { desiredSize: 3, maxSize: 6 })], { daemonSets: [agent] });
  world.controllers.apply(deployment('web', 9, { cpu: 0.9 }));
  const points: Datapoint[] = [];
  const start = world.clock.now();
  const away = (): boolean => world.clock.now() - start >= from && world.clock.now() - start < to;
  const reader = Object.fromEntries(
    Object.entries(world.reader).map(([name, method]) => [
      name,
      async (...given: readonly unknown[]): Promise<unknown> => {
        if (away()) {
          throw new Error('ECONNREFUSED');
        }
        return await (method as (...these: readonly unknown[]) => Promise<unknown>)(...given);
      },
    ]),
  ) as unknown as typeof world.reader;
  const run = sandboxes({ clock: world.clock, timeoutMs: (name) => TIMEOUTS_MS[name] });
  startSimulatedRuntime({
    world: { ...world, reader },
    seed: 1,
    cluster: { name: WEB, options: { ...defaultOptions(), idleEvaluationInterval: seconds(0) } },
    store: createMemoryStore(),
    drains: createMemoryDrains(),
    network: simulatedNetwork(1),
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    // Metrics of scale-up alone: no other function publishes metrics that an alarm watches.
    metrics: {
      count: (name, value) =>
        void (value !== 0 && points.push(own('scale-up', name, world.clock.now() - start, value))),
      milliseconds: () => {},
    },
    invocations: (worldFor) => {
      const invoke = run(worldFor);
      return async (target, event) => {
        const answer = await invoke(target, event);
        if (target.name === 'scale-up') {
          const failed = (answer as { readonly batchItemFailures: readonly unknown[] }).batchItemFailures.length;
          const count = (event as unknown as SQSEvent).Records.length - failed;
          points.push(...(count === 0 ? [] : [deleted(world.clock.now() - start, count)]));
        }
        return answer;
      };
    },
    onFailure: () => {},
    onGivenUp: () => {},
  });
  await world.pass(until / 1_000);
  const minutesOf = (alarm: AlarmProperties): readonly number[] =>
    Array.from({ length: Math.floor(until / MINUTE) - 6 }, (_, i) => i + 7).filter((minute) =>
      isInAlarm(alarm, points, minute * MINUTE),
    );
  return { evaluationsFail: minutesOf(evaluationsFail), needsCorrection: minutesOf(needsCorrection), points };
}

describe('no evaluation for five minutes', () => {
  it('raises the alarm after five, for as long as it lasts', async () => {
    const { evaluationsFail: inAlarm } = await outage(minutes(10), minutes(20), minutes(30));
    expect(inAlarm.length).toBeGreaterThanOrEqual(5);
    expect(inAlarm[0]).toBeGreaterThanOrEqual(15);
    expect(inAlarm[0]).toBeLessThanOrEqual(16);
    expect(inAlarm.at(-1)).toBeLessThanOrEqual(21);
  });

  it('is nothing that a cluster at work, or an outage of three minutes, looks like', async () => {
    expect((await outage(0, 0, minutes(30))).evaluationsFail).toEqual([]);
    expect((await outage(minutes(10), minutes(13), minutes(30))).evaluationsFail).toEqual([]);
  });
});

describe('a dead letter', () => {
  it('raises the alarm, though evaluations succeed before and after', async () => {
    const { needsCorrection: inAlarm, points } = await outage(minutes(10), minutes(12), minutes(20));
    expect(points.filter(({ metric }) => metric === 'DeadLetters').length).toBeGreaterThan(0);
    expect(inAlarm.length).toBeGreaterThan(0);
    expect(inAlarm.every((minute) => minute >= 10 && minute <= 14)).toBe(true);
  });

  it('is none where a wake-up succeeds at a later delivery', async () => {
    const { needsCorrection: inAlarm, points } = await outage(minutes(10), minutes(10) + seconds(10), minutes(20));
    expect(points.filter(({ metric }) => metric === 'FailedEvaluations').length).toBeGreaterThan(0);
    expect(inAlarm).toEqual([]);
  });
});

/** A cluster that does not change by itself, and scale-up at each of these minutes; what it publishes goes to the alarm. */
async function watched(
  given: TestWorldGiven & { readonly webhook?: boolean },
  lasting: number | readonly number[],
  notifiedAt: readonly number[] = [],
) {
  const world = Object.assign(functionsWorld(given), { webhook: given.webhook ?? true });
  const points: Datapoint[] = [];
  const inAlarm: number[] = [];
  // Troubles in `outrigger status`, by the minute.
  const inStatus: Partial<Record<string, number[]>> = {};
  for (const minute of typeof lasting === 'number' ? Array.from({ length: lasting + 1 }, (_, i) => i) : lasting) {
    world.time = NOW + minute * MINUTE;
    world.counts.clear();
    const messages = notifiedAt.includes(minute) ? [notification, scan] : [scan];
    await scaleDownHandler(world)({ cluster: WEB }, invocation());
    world.counts.clear();
    // A sandbox of its own: what is needed later is stored.
    await scaleUpHandler(world)(sqsEvent(...messages), invocation());
    for (const [name, value] of world.counts) {
      points.push(...(value === 0 ? [] : [own('scale-up', name, minute * MINUTE, value)]));
    }
    if (isInAlarm(needsCorrection, points, minute * MINUTE)) {
      inAlarm.push(minute);
    }
    const { state } = await world.store.load(world.dryRun ? dryRunOf(WEB) : WEB);
    for (const { kind } of state.problems ?? []) {
      (inStatus[kind] ??= []).push(minute);
    }
  }
  const metrics = [...new Set(points.map(({ metric }) => metric))];
  return { inAlarm, inStatus, metrics, lines: world.lines };
}

const nodes = (count: number, ready = true, taints: readonly Taint[] = []) =>
  Array.from({ length: count }, (_, i) =>
    node(
      `n${i + 1}`,
      { cpu: 4, memory: '16Gi' },
      {
        labels: { pool: 'web' },
        conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', reason: '', since: null }],
        ...(i === 0 && { taints }),
      },
    ),
  );
const webGroup = (count: number) =>
  group('web', { nodes: Array.from({ length: count }, (_, i) => `n${i + 1}`), max: 20, labels: { pool: 'web' } });

describe('an unhealthy cluster', () => {
  it('raises the alarm', async () => {
    const { inAlarm, metrics } = await watched({ groups: [webGroup(8)], objects: { nodes: nodes(8, false) } }, 2);
    expect(metrics).toContain('ClusterUnhealthy');
    expect(inAlarm).toEqual([0, 1, 2]);
  });

  it('is none whose nodes are ready', async () => {
    const { inAlarm } = await watched({ groups: [webGroup(8)], objects: { nodes: nodes(8) } }, 2);
    expect(inAlarm).toEqual([]);
  });
});

describe('a node group that fails by its configuration', () => {
  const failing = (code: 'Configuration' | 'OutOfResources') => {
    const broken = webGroup(1);
    return {
      groups: [{ ...broken, targetSize: 2, launchFailures: [launchFailure('web', 0, code)] }],
      objects: { nodes: nodes(1) },
      store: requested(),
    };
  };

  /** A store in which a scale-up of the group is awaited. */
  function requested() {
    const store = createMemoryStore();
    const decision = evaluateScaleUp(scenario({}));
    const state = { ...EMPTY_STATE, scaleUpRequests: [request(1, epochMs(NOW + minutes(14)), 'web')] };
    void store.commit(WEB, { expectedVersion: 0, now: NOW, state, intents: [], settled: [], decision });
    return store;
  }

  it('raises the alarm', async () => {
    const { inAlarm, metrics } = await watched(failing('Configuration'), 2);
    expect(metrics).toContain('GroupsToCorrect');
    expect(inAlarm.length).toBeGreaterThan(0);
  });

  it('is none that the cloud has no capacity for: that passes', async () => {
    expect((await watched(failing('OutOfResources'), 2)).inAlarm).toEqual([]);
  });
});

describe('pods that wait for longer than ten minutes', () => {
  const waiting = (cpu: number): TestWorldGiven => ({
    groups: [webGroup(1)],
    objects: {
      nodes: nodes(1),
      pods: [pod('waits', { requests: { cpu }, createdAt: NOW, unscheduled: { reason: 'Unschedulable', since: NOW } })],
    },
  });
  const everyMinute = Array.from({ length: 15 }, (_, i) => i);

  it('raise the alarm where a node group could hold them', async () => {
    const { inAlarm, inStatus, metrics } = await watched(waiting(3), 14, everyMinute);
    expect(metrics).toContain('LongPendingPods');
    expect(inStatus).toEqual({ LongPendingPods: inAlarm });
    expect(inAlarm).toEqual([11, 12, 13, 14]);
  });

  it('raise none where no node group can', async () => {
    expect((await watched(waiting(100), 14, everyMinute)).inAlarm).toEqual([]);
  });
});

describe('a webhook that is silent while pods wait', () => {
  const hopeless: TestWorldGiven = {
    groups: [webGroup(1)],
    objects: {
      nodes: nodes(1),
      pods: [
        pod('huge', { requests: { cpu: 100 }, createdAt: NOW, unscheduled: { reason: 'Unschedulable', since: NOW } }),
      ],
    },
  };

  it('raises the alarm after five minutes', async () => {
    const { inAlarm, inStatus, metrics } = await watched(hopeless, 8);
    expect(metrics).toContain('WebhookSilent');
    expect(inStatus).toEqual({ WebhookSilent: inAlarm });
    expect(inAlarm).toEqual([6, 7, 8]);
  });

  it('is none that has notified of the pod once, even where each evaluation has a sandbox of its own', async () => {
    expect((await watched(hopeless, 8, [0])).inAlarm).toEqual([]);
  });

  it('is none that is not there', async () => {
    expect((await watched({ ...hopeless, webhook: false }, 8)).inAlarm).toEqual([]);
  });
});

describe('a node that is tainted', () => {
  const LONGEST = longestDrain(defaultOptions());
  const tainted = (since: number): TestWorldGiven => ({
    groups: [webGroup(2)],
    objects: {
      nodes: nodes(2, true, [
        { key: TO_BE_DELETED_TAINT, value: String(Math.floor(since / 1_000)), effect: 'NoSchedule' },
      ]),
    },
    // A dry run takes no taints off by itself: an acting one does, unless a drain is known.
    dryRun: true,
  });

  it('for longer than a drain may take raises the alarm', async () => {
    const { inAlarm, inStatus, metrics } = await watched(tainted(NOW - LONGEST + MINUTE), 3);
    expect(metrics).toContain('NodeTainted');
    expect(inAlarm).toEqual([2, 3]);
    expect(inStatus).toEqual({ NodeTainted: inAlarm });
  });

  it('for a while raises none', async () => {
    expect((await watched(tainted(NOW - minutes(30)), 3)).inAlarm).toEqual([]);
  });
});

describe('a pause that lasts for longer than a day', () => {
  const day = 24 * 60;
  const pause = { part: 'ScaleUp', group: null, until: null, cancelDrains: false } as const;
  const everyHour = Array.from({ length: 26 }, (_, i) => i * 60);
  const paused = (until: EpochMs | null): TestWorldGiven => {
    const store = createMemoryStore();
    void store.addPause(WEB, { ...pause, until });
    return { groups: [webGroup(2)], objects: { nodes: nodes(2) }, store };
  };

  it('raises the alarm where it has no end', async () => {
    const at = [...everyHour.filter((minute) => minute < day), ...[0, 1, 2, 3].map((later) => day + later)];
    const { inAlarm, inStatus, metrics } = await watched(paused(null), at);
    expect(metrics).toContain('LongPause');
    expect(inAlarm).toEqual([1, 2, 3].map((later) => day + later));
    expect(inStatus).toEqual({ LongPause: inAlarm });
  });

  it('raises none where it ends by itself', async () => {
    expect((await watched(paused(epochMs(NOW + minutes(3 * day))), everyHour)).inAlarm).toEqual([]);
  });
});

describe('a ready node that awaits its pods', () => {
  const held = (since: number): TestWorldGiven => ({
    groups: [webGroup(2)],
    objects: {
      nodes: nodes(2, true, [{ key: AWAITING_PODS_TAINT, value: '', effect: 'NoSchedule' }]).map((one) => ({
        ...one,
        conditions: [{ type: 'Ready', status: 'True', reason: '', since: epochMs(since) }],
      })),
    },
    // A dry run takes no taints off: an acting one has done so by the first evaluation, and what was held then is over.
    dryRun: true,
  });

  it('for longer than a minute raises the alarm', async () => {
    const { inAlarm, inStatus, metrics } = await watched(held(NOW), 3);
    expect(metrics).toContain('NodeAwaitingPods');
    expect(inAlarm).toEqual([2, 3]);
    expect(inStatus).toEqual({ NodeAwaitingPods: inAlarm });
  });

  it('raises none until then, and none without the taint', async () => {
    expect((await watched(held(NOW), 1)).inAlarm).toEqual([]);
    expect((await watched({ groups: [webGroup(2)], objects: { nodes: nodes(2) } }, 3)).inAlarm).toEqual([]);
  });
});
