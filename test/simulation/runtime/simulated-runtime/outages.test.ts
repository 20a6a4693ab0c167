/**
 * A service that Outrigger depends on is away for ten minutes, while a node is being drained and pods come that need nodes.
 * The bounds of the times after its return are those of docs/failure-modes.md.
 */
import { readFileSync } from 'node:fs';
import type { SQSBatchResponse } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { isRemovalTaint } from '../../../../core/model/cluster/removal-taints.ts';
import { defaultOptions } from '../../../../core/model/options.ts';
import { clusterName } from '../../../../core/model/values/names.ts';
import { addTime, type EpochMs, minutes, seconds } from '../../../../core/model/values/time.ts';
import { createMemoryDrains } from '../../../../providers/memory/drains.ts';
import { createMemoryStore } from '../../../../providers/memory/store.ts';
import type { FunctionName } from '../../../../runtime/functions.ts';
import { sandboxes, Throttled } from '../../../../runtime/invocations.ts';
import { TIMEOUTS_MS } from '../../../../runtime/lambda-rules.ts';
import { simulatedNetwork, startSimulatedRuntime } from '../../../../simulation/runtime/simulated-runtime.ts';
import { agent, deployment, scalingGroup, testWorld } from '../../builders.ts';

const OUTAGE = minutes(10);

/** Parts of a service that fail while it is away. */
interface Outage {
  readonly ports?: readonly ('reader' | 'writer' | 'groups' | 'terminations' | 'store' | 'drains')[];
  /** Functions that Lambda does not invoke. */
  readonly functions?: readonly FunctionName[];
  /** Messages that are lost. */
  readonly lost?: RegExp;
  /** Wake-ups wait in the queue. */
  readonly queue?: true;
}

const TABLE = ['store', 'drains'] as const;
const KUBERNETES = ['reader', 'writer'] as const;
const AUTO_SCALING = ['groups', 'terminations'] as const;
const FUNCTIONS = ['ingest', 'wake', 'scale-up', 'scale-down', 'actuate', 'drain'] as const;
const SCHEDULES = /^(?:a scan|a scale-down scan|a resumption|event |a launch failure)/;

const OUTAGES: Readonly<Record<string, Outage>> = {
  'the API server': { ports: KUBERNETES },
  'Auto Scaling and EC2': { ports: AUTO_SCALING },
  DynamoDB: { ports: TABLE },
  'Lambda, throttled': { functions: FUNCTIONS },
  SQS: { queue: true },
  'EventBridge and its schedules': { lost: SCHEDULES },
  'the webhook': { lost: /FailedScheduling/ },
  'the region': {
    ports: [...KUBERNETES, ...AUTO_SCALING, ...TABLE],
    functions: FUNCTIONS,
    lost: SCHEDULES,
    queue: true,
  },
};

/** Bounds of the page, in seconds after the return: service, sizes, drain; and whether `EvaluationsFail` is raised. */
const BOUNDS = [
  ...readFileSync(new URL('../../../../docs/failure-modes.md', import.meta.url), 'utf8').matchAll(
    /^\| ([^|]+) \| (during it|\d+ s) \| (removed|rolled back), (during it|\d+ s) \| (yes|no) \|$/gm,
  ),
].map(([, service, sizes, outcome, drain, alarm]) => ({
  service: service!,
  sizes: secondsOf(sizes!),
  outcome: outcome!,
  drain: secondsOf(drain!),
  isAlarmed: alarm === 'yes',
}));

function secondsOf(text: string): number {
  return text === 'during it' ? 0 : Number.parseInt(text, 10);
}

/** Starts the functions; the service is away once `begin` is called. */
function startFunctions(world: ReturnType<typeof testWorld>, { ports = [], functions = [], lost, queue }: Outage) {
  const { clock } = world;
  let until: EpochMs | null = null;
  const evaluated: EpochMs[] = [];
  const away = (): boolean => until !== null && clock.now() < until;
  const failing = <Port extends object>(name: NonNullable<Outage['ports']>[number], port: Port): Port =>
    ports.includes(name)
      ? (Object.fromEntries(
          Object.entries(port).map(([call, method]) => [
            call,
            typeof method === 'function'
              ? async (...given: readonly unknown[]): Promise<unknown> => {
                  if (away()) {
                    throw new Error(`${name}.${call}: the service is out of order`);
                  }
                  return await (method as (...these: readonly unknown[]) => Promise<unknown>)(...given);
                }
              : method,
          ]),
        ) as Port)
      : port;
  const network = simulatedNetwork(1);
  const run = sandboxes({ clock, timeoutMs: (name) => TIMEOUTS_MS[name] });
  startSimulatedRuntime({
    world: {
      ...world,
      reader: failing('reader', world.reader),
      writer: failing('writer', world.writer),
      groups: failing('groups', world.groups),
      terminations: failing('terminations', world.terminations!),
    },
    seed: 1,
    cluster: {
      name: clusterName('web'),
      options: { ...defaultOptions(), scaleDownUnneededTime: minutes(2), scaleDownDelayAfterAdd: minutes(1) },
    },
    store: failing('store', createMemoryStore()),
    drains: failing('drains', createMemoryDrains()),
    network: {
      ...network,
      carry: (label, deliver) => {
        if (!away() || lost?.test(label) !== true) {
          network.carry(label, deliver);
        }
      },
    },
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    queueDelay: () => (queue === true && away() ? until! - clock.now() : 0),
    invocations: (worldFor) => {
      const invoke = run(worldFor);
      return async (target, event) => {
        if (away() && functions.includes(target.name)) {
          throw new Throttled(target.name);
        }
        const answer = await invoke(target, event);
        if (target.name === 'scale-up' && (answer as SQSBatchResponse).batchItemFailures.length === 0) {
          evaluated.push(clock.now());
        }
        return answer;
      };
    },
    onFailure: () => {},
    onGivenUp: () => {},
  });
  return { evaluated, begin: () => (until = addTime(clock.now(), OUTAGE)) };
}

/** A cluster whose service is away from a moment on in which a node is being drained. */
async function outageOf(outage: Outage) {
  const world = testWorld([scalingGroup('a', { maxSize: 20 })], { daemonSets: [agent] });
  const { clock } = world;
  const { evaluated, begin } = startFunctions(world, outage);
  const isDrained = (): boolean => world.api.listNodes().some(({ taints }) => taints.some(isRemovalTaint));
  const isPending = (): boolean => [...world.api.pods.values()].some(({ nodeName }) => nodeName === null);
  const runTill = async (done: () => boolean, limit: EpochMs): Promise<EpochMs> => {
    await clock.run({ done, until: limit });
    expect(done()).toBe(true);
    return clock.now();
  };
  // Two nodes with four pods each. Half of the pods fit on one node, and none beside a late pod.
  world.controllers.apply(deployment('web', 8, { cpu: 0.9 }));
  await world.pass(10 * 60);
  world.controllers.apply(deployment('web', 4, { cpu: 0.9 }));
  await runTill(isDrained, addTime(clock.now(), minutes(30)));
  const leaving = world.api.listNodes().find(({ taints }) => taints.some(isRemovalTaint))!.name;
  const until = begin();
  const setBefore = world.ofKind('SizeSet').length;
  await world.pass(30);
  world.controllers.apply(deployment('late', 6, { cpu: 3.5 }));
  const limit = addTime(until, minutes(30));
  await world.pass(1);
  const increase = () =>
    world
      .ofKind('SizeSet')
      .slice(setBefore)
      .find(({ from, to }) => to > from);
  // Drains and sizes are looked at with each event of the world.
  let drained: EpochMs | null = null;
  let sized: EpochMs | null = null;
  let outcome = '';
  await runTill(() => {
    if (drained === null && !isDrained()) {
      drained = clock.now();
      outcome = world.api.nodes.has(leaving) ? 'rolled back' : 'removed';
    }
    sized ??= increase() === undefined ? null : clock.now();
    return drained !== null && sized !== null;
  }, limit);
  await runTill(() => !isPending(), limit);
  await world.pass(40 * 60);
  const times = [...evaluated, clock.now()].filter((at) => at > until - OUTAGE);
  return {
    after: { sizes: (sized! - until) / seconds(1), drain: (drained! - until) / seconds(1) },
    isAlarmed: times.some((at, i) => at - (times[i - 1] ?? until - OUTAGE) > minutes(5)),
    isDrained: isDrained(),
    isPending: isPending(),
    nodes: world.api.listNodes().length,
    outcome,
  };
}

describe('ten minutes without', () => {
  test('each service of the page are tried', () => {
    expect(BOUNDS.map(({ service }) => service)).toEqual(Object.keys(OUTAGES));
  });

  test.each(BOUNDS)(
    '$service: sizes are set $sizes s after its return at most, and the drain is $outcome',
    async ({ service, sizes, drain, outcome, isAlarmed }) => {
      const found = await outageOf(OUTAGES[service]!);
      expect(found.after.sizes).toBeLessThanOrEqual(sizes);
      expect(found.after.drain).toBeLessThanOrEqual(drain);
      // Nothing is bought twice, nothing stays tainted, and every pod runs.
      expect(found).toMatchObject({ outcome, isAlarmed, isDrained: false, isPending: false, nodes: 7 });
    },
  );
});
