import type { Decision } from '../../core/model/decision.ts';
import type { Message } from '../../core/model/message.ts';
import type { ClusterName } from '../../core/model/values/names.ts';
import type { ClusterReader, ClusterWriter } from '../../core/ports/cluster.ts';
import type { StateStore } from '../../core/ports/state-store.ts';
import type { DrainStore } from '../../core/ports/drain-store.ts';
import type { NoticeInbox } from '../../core/ports/notice-inbox.ts';
import type { Scenario } from '../../core/model/scenario.ts';
import type { Log } from '../../core/ports/observability.ts';
import type { Cluster } from '../../functions/shared/services.ts';
import { ServiceError } from '../../simulation/api-call.ts';
import { chanceFor } from '../../simulation/chance.ts';
import type { SimulatedWorld } from '../../simulation/world.ts';
import { backoffMs } from '../../runtime/clock.ts';
import type { FunctionName } from '../../runtime/functions.ts';
import { type Invocations, type Invoke, RecursiveLoop, Throttled } from '../../runtime/invocations.ts';
import { STREAM, type StreamReading, TIMEOUTS_MS } from '../../runtime/lambda-rules.ts';
import type { FunctionNetwork } from '../../runtime/network.ts';
import { simulatedNetwork, startSimulatedRuntime } from '../../simulation/runtime/simulated-runtime.ts';
import type { FunctionServices } from '../../runtime/services.ts';
import { conflicting } from './cluster-faults.ts';
import type { Courier } from './courier.ts';
import type { FaultSource } from './fault-source.ts';
import { overTable, tableCalls } from './faulty-store.ts';
import { type Life, mortal } from './mortal.ts';
import type { Outages } from './outages.ts';
import type { Invocation, Runtime } from './runtime.ts';
import type { FaultScenario } from './fault-scenario.ts';

/** A stream whose records come late, twice, or in another order. What has arrived is tried for a quarter of an hour. */
const RECORD_BY_RECORD: StreamReading = {
  kind: 'messages',
  outboxBatch: 1,
  outbox: { waitsMs: [1_000, 2_000, 4_000], maxAgeMs: 2 * 60_000 },
  inbox: { waitsMs: Array.from({ length: 60 }, (_, n) => backoffMs(n, 15_000)), maxAgeMs: 15 * 60_000 },
};

export interface StackOptions {
  readonly scenario: FaultScenario;
  readonly cluster: ClusterName;
  readonly world: SimulatedWorld;
  /** Reads the world's cluster. */
  readonly reader: ClusterReader;
  readonly store: StateStore;
  readonly drains: DrainStore;
  readonly inbox: NoticeInbox;
  readonly faults: FaultSource;
  readonly outages: Outages;
  readonly courier: Courier;
  readonly runtime: Runtime;
  readonly log: (line: string) => void;
  /** Do functions only say what they would do (`mode: observe`)? */
  readonly dryRun: boolean;
  /** A wake-up is lost: it was received as often as may be, or kept as long. */
  readonly onGivenUp: () => void;
  /** An invocation has logged an error, or Lambda has stopped its chain. */
  readonly onFailed: (invocation: string, error: unknown) => void;
  /** A function has handled an event to its end, without an error. */
  readonly onHandled: (event: unknown) => void;
  readonly onAnswered: (invocation: string, call: string, answer: unknown) => void;
  /** A function sends a message to the event bus. */
  readonly onMessage: (message: Message) => void;
  readonly onDecision: (invocation: Invocation, scenario: Scenario, decision: Decision) => void;
}

/**
 * Outrigger's functions around a simulated world, with everything that can go wrong between them: each message goes by
 * the courier, each function may die at each of its calls.
 */
export function deploy(options: StackOptions): void {
  const { scenario, cluster: name, world, faults, courier, log } = options;
  const { seed } = scenario;
  const network: FunctionNetwork = { ...simulatedNetwork(seed), carry: courier.carry };
  startSimulatedRuntime({
    world: { ...world, reader: options.reader, writer: refusing(conflicting(world.writer, world, faults), faults) },
    seed,
    cluster: { name, options: scenario.options },
    store: options.store,
    drains: options.drains,
    inbox: options.inbox,
    network,
    log: SILENT,
    queueDelay: () => queueDelay(options),
    stream: scenario.shards ? STREAM : RECORD_BY_RECORD,
    webhook: scenario.webhook,
    invocations: mortalInvocations(options, network),
    // The runtime has told of others.
    onFailure: (name, error) => {
      if (error instanceof RecursiveLoop) {
        options.onFailed(name, error);
      }
    },
    onGivenUp: (body) => {
      log(`given up: ${body}`);
      options.onGivenUp();
    },
  });
}

/** The queue is not received from: what waits in it for longer than it is kept is lost. */
const queueDelay = ({ scenario, world, faults }: StackOptions): number =>
  faults.strike(
    'queue',
    0.003,
    (chance) => {
      const ms = Math.min(scenario.faultsUntil - world.clock.now(), chance.within({ min: 60_000, max: 15 * 60_000 }));
      return ms <= 0 ? null : ms;
    },
    (ms) => `wake-ups wait in their queue for ${ms} ms`,
  ) ?? 0;

/** Each invocation in a process of its own, which may die at each of its calls of a world in which calls fail. */
const mortalInvocations =
  (options: StackOptions, network: FunctionNetwork): Invocations =>
  (worldFor) => {
    const { world, faults, runtime } = options;
    const makeFaulty = faultyPorts(options, network);
    const worldOf = (invocation: Invocation): FunctionServices =>
      mortalWorld(
        makeFaulty({
          ...worldFor({ now: invocation.now, log: logOf(invocation, options.log, options.onFailed) }),
          dryRun: options.dryRun,
          messages: { send: async (messages) => messages.forEach(options.onMessage) },
        }),
        invocation,
        options.onAnswered,
      );
    const run: Invoke = async (target, event) =>
      await runtime.invoke(
        target.name,
        TIMEOUTS_MS[target.name],
        (invocation) =>
          target.create(worldOf(invocation), (seen, decision) => options.onDecision(invocation, seen, decision)),
        event,
      );
    return async (target, event) => {
      if (isThrottled(target.name, options)) {
        throw new Throttled(target.name);
      }
      const rival = target.name === 'scale-up' ? rivalDelay(faults) : null;
      if (rival !== null) {
        world.clock.start(async () => {
          await world.clock.sleep(rival);
          // The runtime has told of its failure.
          await run(target, event).catch(() => {});
        });
      }
      const result = await run(target, event);
      options.onHandled(event);
      return result;
    };
  };

/** The account has no concurrency left: Lambda refuses the invocation. */
const isThrottled = (name: FunctionName, { faults, runtime, scenario: { concurrency } }: StackOptions): boolean =>
  (concurrency !== null && runtime.underWay() >= concurrency) ||
  faults.strike(
    'concurrency',
    0.02,
    () => true,
    () => `${name} is not invoked: no concurrency is left`,
  ) !== null;

const rivalDelay = (faults: FaultSource): number | null =>
  faults.strike(
    'rival',
    0.05,
    (own) => own.within({ min: 0, max: 400 }),
    (ms) => `a second evaluation of the same wake-up, ${ms} ms later`,
  );

/** A table whose calls take time and fail, and drivers of drains that cannot be started. */
function faultyPorts(
  { world: { clock }, scenario: { seed }, faults, outages }: StackOptions,
  network: FunctionNetwork,
): (world: FunctionServices) => FunctionServices {
  const storeChance = chanceFor(seed, 'store');
  const drainsChance = chanceFor(seed, 'drains');
  const inboxChance = chanceFor(seed, 'inbox');
  const called = async (call: string): Promise<void> => {
    await clock.sleep(network.sendMs());
    const error = faults.strike(
      'api error',
      0.03,
      () => new ServiceError('Throttled', 'TooManyRequestsException', 'Rate exceeded'),
      ({ message }) => `${call}: ${message}`,
    );
    if (error !== null) {
      throw error;
    }
  };
  return (world) => ({
    ...world,
    store: overTable('store', world.store, tableCalls(clock, storeChance, faults, outages)),
    inbox: overTable('inbox', world.inbox, tableCalls(clock, inboxChance, faults, outages)),
    drains: overTable('drains', world.drains, tableCalls(clock, drainsChance, faults, outages)),
    startDrains: async (...request) => {
      await called('startDrains');
      await world.startDrains(...request);
    },
    continueDrains: async (...round) => {
      await called('continueDrains');
      // It is a message.
      await world.continueDrains(...(JSON.parse(JSON.stringify(round)) as typeof round));
    },
    startScaleDown: async (...request) => {
      await called('startScaleDown');
      await world.startScaleDown(...request);
    },
  });
}

/** The calls of a world that send something or wait. */
const messagesOf = ({
  sleep,
  wake,
  wakeForReadyNode,
  wakeAtOnce,
  wakeAt,
  scanUntilNext,
  ...world
}: FunctionServices) => {
  const { startDrains, continueDrains, startScaleDown, redeliverAfter } = world;
  const wakeUps = { sleep, wake, wakeForReadyNode, wakeAtOnce, wakeAt, scanUntilNext, redeliverAfter };
  return { ...wakeUps, startDrains, continueDrains, startScaleDown };
};

/** The world as one invocation sees it: it may die at each call. */
function mortalWorld(
  world: FunctionServices,
  { name: invocation, life: own }: Invocation,
  onAnswered: StackOptions['onAnswered'],
): FunctionServices {
  const life: Pick<Life, 'call'> = {
    call: (name, make) =>
      own.call(name, async () => {
        const answer = await make();
        onAnswered(invocation, name, answer);
        return answer;
      }),
  };
  const mortalCluster = (cluster: Cluster): Cluster => ({
    ...cluster,
    reader: mortal('reader', cluster.reader, life),
    writer: mortal('writer', cluster.writer, life),
    groups: mortal('groups', cluster.groups, life),
    ...(cluster.terminations !== undefined && { terminations: mortal('terminations', cluster.terminations, life) }),
  });
  return {
    ...world,
    cluster: (name) => {
      const cluster = world.cluster(name);
      return cluster === null ? null : mortalCluster(cluster);
    },
    store: mortal('store', world.store, life),
    inbox: mortal('inbox', world.inbox, life),
    drains: mortal('drains', world.drains, life),
    ...mortal('messages', messagesOf(world), life),
  };
}

const SILENT: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

function logOf({ name, life }: Invocation, add: (line: string) => void, onFailed: StackOptions['onFailed']): Log {
  const line =
    (level: string) =>
    (message: string, { error }: { readonly error?: unknown } = {}): void => {
      if (life.isOver()) {
        return;
      }
      add(`${name} ${level}: ${message}${error instanceof Error ? ` (${error.message})` : ''}`);
      if (error !== undefined) {
        onFailed(name, error);
      }
    };
  return { debug: () => {}, info: line('info'), warn: line('warn'), error: line('error') };
}

/** Budgets that are being worked out allow nothing: the API server refuses evictions that are fine a moment later. */
const refusing = (writer: ClusterWriter, faults: FaultSource): ClusterWriter => ({
  ...writer,
  evict: async (pod, ...more) => {
    const seconds = faults.strike(
      'refusal',
      0.1,
      (chance) => chance.within({ min: 1, max: 15 }),
      (retryAfter) => `the eviction of ${pod.name} is refused: again in ${retryAfter} s`,
    );
    return seconds === null
      ? await writer.evict(pod, ...more)
      : {
          kind: 'refused',
          message: 'Cannot evict pod as its disruption budget is still being processed by the server.',
          retryAfterSeconds: seconds,
        };
  },
});
