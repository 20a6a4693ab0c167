import type { DynamoDBStreamEvent, LambdaFunctionURLEvent, SQSEvent, SQSBatchResponse } from 'aws-lambda';
import { doorbellCall, launchUnsuccessful } from '../../cli/demo/lambda-events.ts';
import { withOutbox } from '../../cli/local/outbox.ts';
import { evaluate } from '../../core/evaluate.ts';
import type { Decision } from '../../core/model/decision.ts';
import type { ClusterName } from '../../core/model/names.ts';
import type { ClusterWriter, DrainStore, StateStore } from '../../core/model/ports.ts';
import type { Scenario } from '../../core/model/scenario.ts';
import { createActuate, type Sweep } from '../../functions/actuate/actuate.ts';
import { driveDrains } from '../../functions/drain/drive.ts';
import { inProcess, STEP_MS } from '../../functions/drain/pace.ts';
import { createIngest } from '../../functions/ingest/ingest.ts';
import { createScaleUp } from '../../functions/scale-up/scale-up.ts';
import { spacings } from '../../functions/scale-up/look-spacing.ts';
import { dueMessage, wakeMessage } from '../../functions/shared/wake-up.ts';
import type { DrainRequest } from '../../functions/shared/drain-executions.ts';
import type { Cluster, Door, Log, Work, World } from '../../functions/shared/world.ts';
import { createWake } from '../../functions/wake/wake.ts';
import { createFifoQueue, type FifoMessage } from '../../providers/memory/fifo-queue.ts';
import { chanceFor, HEX, type Span } from '../../providers/simulated/chance.ts';
import { queueTime } from '../../providers/simulated/queue-time.ts';
import type { SimulatedWorld } from '../../providers/simulated/world.ts';
import type { Courier } from './courier.ts';
import type { FaultSource } from './fault-source.ts';
import { ApiError } from '../../providers/simulated/api-call.ts';
import { faultyDrains, faultyStore } from './faulty-store.ts';
import { mortal } from './mortal.ts';
import type { Invocation, Runtime } from './runtime.ts';
import type { FaultScenario } from './scenario.ts';

/** Of the stack: how long each function may run. */
const TIMEOUTS_MS = { ingest: 3_000, wake: 10_000, scaleUp: 60_000, actuate: 50_000, drain: 24 * 3_600_000 } as const;
const VISIBILITY_TIMEOUT_MS = 60_000;
const MAX_RECEIVE_COUNT = 5;
const TICK_MS = 60_000;
const STREAM_RETRIES = 3;
const STREAM_RETRY_MS = 1_000;
/** Lambda tries an event twice again, so long later. */
const ASYNC_RETRIES_MS = [60_000, 120_000];
const EVENT_BUS: Span = { min: 400, max: 1_500 };
const INVOCATION: Span = { min: 15, max: 60 };
const SEND: Span = { min: 5, max: 20 };

export interface StackOptions {
  readonly scenario: FaultScenario;
  readonly cluster: ClusterName;
  readonly world: SimulatedWorld;
  readonly store: StateStore;
  readonly drains: DrainStore;
  readonly faults: FaultSource;
  readonly courier: Courier;
  readonly runtime: Runtime;
  readonly log: (line: string) => void;
  /** A function has caught an error, and says so in its log. */
  readonly onCaught: (invocation: Invocation, error: unknown) => void;
  readonly onDecision: (invocation: Invocation, scenario: Scenario, decision: Decision) => void;
}

/**
 * Outrigger's functions around a simulated world as the stack puts them around a real one, with everything that can go
 * wrong between them: each message goes by the courier, each function may die at each of its calls.
 */
export function deploy(options: StackOptions): void {
  const { scenario, cluster: name, faults, courier, runtime, log } = options;
  const { clock, ...world } = options.world;
  const { seed } = scenario;
  const chance = chanceFor(seed, 'functions');
  const token = chanceFor(seed, 'token').text(32, HEX);

  const inBackground = (work: () => Promise<unknown>): void =>
    clock.start(async () => {
      // The runtime has told of it.
      await work().catch(() => {});
    });

  /** Tries until it succeeds or the retries are used up. */
  const retried = (attempt: () => Promise<unknown>, waits: readonly number[]): void =>
    inBackground(async () => {
      await clock.sleep(chance.within(INVOCATION));
      for (const wait of [...waits, null]) {
        try {
          await attempt();
          return;
        } catch {
          if (wait !== null) {
            await clock.sleep(wait);
          }
        }
      }
    });

  const table = faultyStore(
    withOutbox(options.store, (event) => {
      for (const record of event.Records) {
        courier.carry('a record of the stream', () =>
          retried(
            () => actuate({ Records: [record] }),
            Array.from({ length: STREAM_RETRIES }, (_, i) => STREAM_RETRY_MS * 2 ** i),
          ),
        );
      }
    }),
    clock,
    chanceFor(seed, 'store'),
    faults,
  );

  const drains = faultyDrains(options.drains, clock, chanceFor(seed, 'drains'), faults);
  const writer = refusing(world.writer, faults);

  const send = (label: string, message: FifoMessage): void => courier.carry(label, () => queue.send(message));

  /** The world as one invocation sees it. */
  const surroundings = (invocation: Invocation): World & Door => {
    const { life, now } = invocation;
    const cluster: Cluster = {
      name,
      provider: 'aws',
      options: scenario.options,
      reader: mortal('reader', world.reader, life),
      writer: mortal('writer', writer, life),
      groups: mortal('groups', world.groups, life),
    };
    return {
      store: mortal('store', table, life),
      drains: mortal('drains', drains, life),
      startDrains: (_, ids, attempt) =>
        life.call('startDrains', async () => {
          await clock.sleep(chance.within(SEND));
          const error = faults.strike(
            'api error',
            0.03,
            () => new ApiError('Throttled', 'TooManyRequestsException', 'Rate exceeded'),
            ({ message }) => `startDrains: ${message}`,
          );
          if (error !== null) {
            throw error;
          }
          courier.carry(`a driver of ${ids.join(', ')}`, () =>
            retried(() => drive({ cluster: name, ids, attempt }), []),
          );
        }),
      cluster: (wanted) => (wanted === name ? cluster : null),
      knows: (wanted) => wanted === name,
      tokens: async () => [token],
      now,
      sleep: (ms, signal) => life.call('sleep', () => clock.sleep(ms, signal)),
      wake: (wanted, look) =>
        life.call('wake', async () => {
          await clock.sleep(chance.within(SEND));
          send('a wake-up', wakeMessage(wanted, now(), look));
        }),
      wakeAt: (wanted, due, look) =>
        life.call('wakeAt', async () => {
          await clock.sleep(chance.within(SEND));
          send('a wake-up for later', dueMessage(wanted, now(), due, look));
        }),
      redeliverAfter: (receiptHandle, seconds) =>
        life.call('redeliverAfter', async () => {
          await clock.sleep(chance.within(SEND));
          queue.changeVisibility(receiptHandle, seconds);
        }),
      log: logOf(invocation, log, options.onCaught),
      metrics: { count: () => {}, milliseconds: () => {} },
      dryRun: false,
    };
  };

  // What a sandbox remembers: there is one, and it is used for all of the run.
  const spacingOf = spacings();
  const scaleUp = (event: SQSEvent): Promise<SQSBatchResponse> =>
    runtime.invoke(
      'scale-up',
      TIMEOUTS_MS.scaleUp,
      (invocation): Work<SQSEvent, SQSBatchResponse> =>
        createScaleUp(
          surroundings(invocation),
          (seen) => {
            const decision = evaluate(seen);
            options.onDecision(invocation, seen, decision);
            return decision;
          },
          spacingOf,
        ),
      event,
    );
  const actuate = (event: DynamoDBStreamEvent | Sweep): Promise<void> =>
    runtime.invoke('actuate', TIMEOUTS_MS.actuate, (invocation) => createActuate(surroundings(invocation)), event);
  const ingest = (event: LambdaFunctionURLEvent): Promise<unknown> =>
    runtime.invoke('ingest', TIMEOUTS_MS.ingest, (invocation) => createIngest(surroundings(invocation)), event);
  const wake = (event: ReturnType<typeof launchUnsuccessful>): Promise<void> =>
    runtime.invoke('wake', TIMEOUTS_MS.wake, (invocation) => createWake(surroundings(invocation), name), event);

  const drive = (request: DrainRequest): Promise<void> =>
    runtime.invoke(
      'drain',
      TIMEOUTS_MS.drain,
      (invocation): Work<DrainRequest, void> => {
        const around = surroundings(invocation);
        const limit = (ms: number): AbortSignal => {
          const controller = new AbortController();
          clock.after(ms, () => controller.abort(new Error(`the step has taken ${ms / 1_000} s`)));
          return controller.signal;
        };
        return async (event) => await driveDrains(around, event, { ...inProcess(around), stepMs: STEP_MS, limit });
      },
      request,
    );

  const queue = createFifoQueue({
    time: queueTime(clock, chanceFor(seed, 'queue')),
    consume: async (event) => {
      const rival = faults.strike(
        'rival',
        0.05,
        (own) => own.within({ min: 0, max: 400 }),
        (ms) => `a second evaluation of the same wake-up, ${ms} ms later`,
      );
      if (rival !== null) {
        inBackground(async () => {
          await clock.sleep(rival);
          await scaleUp(event);
        });
      }
      return await scaleUp(event);
    },
    visibilityTimeoutMs: VISIBILITY_TIMEOUT_MS,
    maxReceiveCount: MAX_RECEIVE_COUNT,
    onGivenUp: (body) => log(`given up: ${body}`),
  });

  world.onFailedScheduling((failed) =>
    courier.carry('a FailedScheduling event', () =>
      retried(() => ingest(doorbellCall(`/${token}/${name}`, failed, clock.now())), []),
    ),
  );
  world.onEvent(({ kind, at }) => {
    if (kind === 'LaunchFailed') {
      clock.after(chance.within(EVENT_BUS), () =>
        courier.carry('a launch failure', () => retried(() => wake(launchUnsuccessful(at)), ASYNC_RETRIES_MS)),
      );
    }
  });

  const tick = (): void => {
    const at = new Date(clock.now()).toISOString();
    send('a tick', {
      body: JSON.stringify({ cluster: name, tick: at }),
      group: name,
      deduplicationId: `${name}:tick:${at}`,
    });
    courier.carry('a sweep', () => retried(() => actuate({ sweep: name }), []));
    clock.after(TICK_MS, tick);
  };
  clock.after(TICK_MS, tick);
}

function logOf(invocation: Invocation, add: (line: string) => void, onCaught: StackOptions['onCaught']): Log {
  const { name, life } = invocation;
  const line =
    (level: string) =>
    (message: string, { error }: { readonly error?: unknown } = {}): void => {
      if (life.isOver()) {
        return;
      }
      add(`${name} ${level}: ${message}${error instanceof Error ? ` (${error.message})` : ''}`);
      if (error !== undefined) {
        onCaught(invocation, error);
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
