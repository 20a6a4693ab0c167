import { evaluate } from '../../core/evaluate.ts';
import type { Decision } from '../../core/model/decision.ts';
import type { ClusterName } from '../../core/model/names.ts';
import type { Options } from '../../core/model/options.ts';
import type { EpochMs } from '../../core/model/time.ts';
import { createActuate } from '../../functions/actuate/actuate.ts';
import { driveDrains } from '../../functions/drain/drive.ts';
import { inProcess } from '../../functions/drain/pace.ts';
import { createIngest } from '../../functions/ingest/ingest.ts';
import { createScaleUp } from '../../functions/scale-up/scale-up.ts';
import { createWake } from '../../functions/wake/wake.ts';
import { dueMessage, wakeMessage } from '../../functions/shared/wake-up.ts';
import type { Door, Log, Work, World } from '../../functions/shared/world.ts';
import { createMemoryDrains } from '../../providers/memory/drains.ts';
import { type MemoryStore, createMemoryStore } from '../../providers/memory/store.ts';
import { chanceFor, HEX, type Span } from '../../providers/simulated/chance.ts';
import { createFifoQueue } from '../../providers/memory/fifo-queue.ts';
import { queueTime } from '../../providers/simulated/queue-time.ts';
import type { SimulatedWorld } from '../../providers/simulated/world.ts';
import { withOutbox } from '../local/outbox.ts';
import { doorbellCall, launchUnsuccessful } from './lambda-events.ts';

/** From a failed launch, through EventBridge, to the function's start. */
const EVENT_BUS: Span = { min: 400, max: 1_500 };
/** From an API server's call, or a stream's record, to the function's start. */
const INVOCATION: Span = { min: 15, max: 60 };
const SEND: Span = { min: 5, max: 20 };
const TICK_MS = 60_000;
const FUNCTION_TIMEOUT_MS = 55_000;
const VISIBILITY_TIMEOUT_MS = 90_000;
const MAX_RECEIVE_COUNT = 5;
/** A stream's record that fails is delivered again after so long. */
const STREAM_RETRY_MS = 2_000;
const STREAM_RETRIES = 5;

export interface WiringOptions {
  readonly world: SimulatedWorld;
  readonly seed: number;
  readonly cluster: ClusterName;
  readonly options: Options;
  readonly onDecision: (decision: Decision, now: EpochMs) => void;
  /** Something that a function found worth a warning. */
  readonly onTrouble: (level: 'warn' | 'error', message: string) => void;
}

export interface Wiring {
  readonly store: MemoryStore;
}

/**
 * Puts Outrigger's functions around a simulated world as the stack puts them around a real one: the API server's webhook
 * calls `ingest`, which sends to a FIFO queue, which feeds `scale-up`, whose commits reach `actuate` through a stream.
 * Launches that fail call `wake`.
 * Every minute the schedule asks for a look and for a sweep.
 */
export function wire({
  world: { clock, ...world },
  seed,
  cluster,
  options,
  onDecision,
  onTrouble,
}: WiringOptions): Wiring {
  const chance = chanceFor(seed, 'functions');
  const token = chanceFor(seed, 'token').text(32, HEX);
  const store = createMemoryStore();
  const log: Log = {
    debug: () => {},
    info: () => {},
    warn: (message) => onTrouble('warn', message),
    error: (message) => onTrouble('error', message),
  };

  /** Runs a function as Lambda does: it begins a little later, and has so much time. */
  const invoke = async <Event, Result>(work: Work<Event, Result>, event: Event): Promise<Result> => {
    const controller = new AbortController();
    const timeout = clock.after(FUNCTION_TIMEOUT_MS, () => {
      controller.abort(new Error(`the function has run for ${FUNCTION_TIMEOUT_MS / 1_000} s`));
    });
    try {
      return await work(event, { signal: controller.signal });
    } finally {
      timeout.cancel();
    }
  };

  const queue = createFifoQueue({
    time: queueTime(clock, chanceFor(seed, 'queue')),
    consume: (event) => invoke(scaleUp, event),
    visibilityTimeoutMs: VISIBILITY_TIMEOUT_MS,
    maxReceiveCount: MAX_RECEIVE_COUNT,
    onGivenUp: (body) => onTrouble('error', `A wake-up was given up: ${body}`),
  });

  const deliver = <Event>(work: Work<Event, unknown>, event: Event): void => {
    clock.start(async () => {
      for (let retries = 0; retries <= STREAM_RETRIES; retries += 1) {
        await clock.sleep(retries === 0 ? chance.within(INVOCATION) : STREAM_RETRY_MS * 2 ** retries);
        try {
          await invoke(work, event);
          return;
        } catch (error) {
          onTrouble('warn', error instanceof Error ? error.message : String(error));
        }
      }
    });
  };

  const functions: World & Door = {
    drains: createMemoryDrains(),
    startDrains: async (name, ids, attempt) => {
      clock.start(async () => {
        await clock.sleep(chance.within(INVOCATION));
        await driveDrains(functions, { cluster: name, ids, attempt }, inProcess(functions));
      });
    },
    store: withOutbox(store, (event) => deliver(actuate, event)),
    cluster: (name) =>
      name === cluster
        ? { name, provider: 'aws', options, reader: world.reader, writer: world.writer, groups: world.groups }
        : null,
    knows: (name) => name === cluster,
    tokens: async () => [token],
    now: clock.now,
    sleep: clock.sleep,
    wake: async (name, look) => {
      await clock.sleep(chance.within(SEND));
      queue.send(wakeMessage(name, clock.now(), look));
    },
    wakeAt: async (name, due, look) => {
      await clock.sleep(chance.within(SEND));
      queue.send(dueMessage(name, clock.now(), due, look));
    },
    redeliverAfter: async (receiptHandle, seconds) => {
      await clock.sleep(chance.within(SEND));
      queue.changeVisibility(receiptHandle, seconds);
    },
    log,
    metrics: { count: () => {}, milliseconds: () => {} },
    dryRun: false,
  };
  const ingest = createIngest(functions);
  const actuate = createActuate(functions);
  const scaleUp = createScaleUp(functions, (scenario) => {
    const decision = evaluate(scenario);
    onDecision(decision, scenario.now);
    return decision;
  });

  const path = `/${token}/${cluster}`;
  world.onFailedScheduling((failed) => deliver(ingest, doorbellCall(path, failed, clock.now())));

  const wake = createWake(functions, cluster);
  world.onEvent(({ kind, at }) => {
    if (kind === 'LaunchFailed') {
      clock.after(chance.within(EVENT_BUS), () => deliver(wake, launchUnsuccessful(at)));
    }
  });

  const tick = (): void => {
    const at = new Date(clock.now()).toISOString();
    queue.send({
      body: JSON.stringify({ cluster, tick: at }),
      group: cluster,
      deduplicationId: `${cluster}:tick:${at}`,
    });
    deliver(actuate, { sweep: cluster });
    clock.after(TICK_MS, tick);
  };
  clock.after(TICK_MS, tick);

  return { store };
}
