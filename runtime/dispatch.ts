import type { EventBridgeEvent, LambdaFunctionURLEvent, LambdaFunctionURLResult } from 'aws-lambda';
import { type DecisionHistory, NO_HISTORY } from '@outrigger/core/ports/decision-history.ts';
import type { NoticeInbox } from '@outrigger/core/ports/notice-inbox.ts';
import type { Metrics } from '@outrigger/core/ports/observability.ts';
import type { QueueTime } from '@outrigger/providers/memory/fifo-queue.ts';
import { createMemoryInbox } from '@outrigger/providers/memory/notice-inbox.ts';
import { durationMs } from '@outrigger/core/model/values/time.ts';
import { deliveries } from './deliveries.ts';
import { type InProcessFunction, type ScheduleName, type TriggerOptions, triggersOf } from './functions.ts';
import { chained, type Invocations } from './invocations.ts';
import type { LambdaRules } from './lambda-rules.ts';
import { announcing, withOutbox } from './outbox.ts';
import { chainOf, createWakeUpQueue, type WakeUpQueueOptions } from './queue.ts';
import { createStreams, type StreamOptions } from './streams.ts';
import { startTimers } from './timers.ts';
import { createServices, NO_METRICS, type ServicePorts } from './services.ts';

export interface RuntimeOptions
  extends
    Pick<TriggerOptions, 'claim' | 'stepMs'>,
    StreamOptions,
    Pick<ServicePorts, 'cluster' | 'store' | 'drains' | 'tokenHashes' | 'dryRun' | 'log' | 'onStanding'>,
    Omit<WakeUpQueueOptions, 'time' | 'chain' | 'consume'> {
  /** Time between scans, and between resumptions of interrupted work. */
  readonly scheduleMs: number;
  /** Absent: in memory. */
  readonly inbox?: NoticeInbox;
  /** Absent: none is kept. */
  readonly history?: DecisionHistory;
  readonly queueTime: QueueTime;
  readonly rules: LambdaRules;
  /** Absent: not kept. */
  readonly metrics?: Metrics | undefined;
  readonly invocations: Invocations;
}

/** Outrigger's functions at work for one cluster in this process. */
export interface Runtime {
  /** Starts the schedules. */
  readonly start: (given?: { readonly atOnce: boolean }) => void;
  /** Calls the webhook and waits for its answer. */
  readonly webhook: (event: LambdaFunctionURLEvent) => Promise<LambdaFunctionURLResult>;
  /** Lets the API server call the webhook, over the network. */
  readonly callWebhook: (label: string, event: LambdaFunctionURLEvent) => void;
  /** Puts an event of AWS on the event bus. */
  readonly report: (label: string, event: EventBridgeEvent<string, unknown>) => void;
  /** Fires a schedule now. */
  readonly fire: (schedule: ScheduleName) => void;
  /** Stops the schedules. */
  readonly stop: () => void;
  /** Stops the schedules and the queue; resolves when the messages that were received are handled. */
  readonly close: () => Promise<void>;
}

/**
 * Puts Outrigger's functions around their services as the stack in `cdk/` puts them around AWS: wake-ups through a queue,
 * intents through the store's outbox, drains, the webhook, the event bus, and schedules. `triggersOf` maps each trigger
 * to the function that it starts.
 */
export function createRuntime(options: RuntimeOptions): Runtime {
  const { cluster, clock, network, rules } = options;
  const triggers = triggersOf({ ...options, cluster: cluster.name });
  const queue = createWakeUpQueue({
    ...options,
    time: options.queueTime,
    chain: () => chains.length(),
    consume: (event) => chains.invoke(triggers.queue, event, chainOf(event)),
  });
  const ports: ServicePorts = {
    cluster,
    store: withOutbox(options.store, (event) => streams.intents(event)),
    inbox: announcing(options.inbox ?? createMemoryInbox(), (event) => streams.arrivals(event)),
    drains: options.drains,
    history: options.history ?? NO_HISTORY,
    queue,
    startDrains: async (name, ids, attempt) =>
      send(`a driver of ${ids.join(', ')}`, triggers.drains, { cluster: name, ids, attempt }, chains.length()),
    continueDrains: async (round, waitMs) => {
      const chain = chains.length();
      const label = `a round of ${round.ids.join(', ')}`;
      clock.after(waitMs, () => send(label, triggers.drains, round, chain));
    },
    startScaleDown: async (name) =>
      send('scale-down after a drain', triggers.scaleDown, { cluster: name }, chains.length()),
    now: clock.now,
    sleep: clock.sleep,
    tokenHashes: options.tokenHashes,
    dryRun: options.dryRun,
    webhook: options.tokenHashes.length > 0,
    scanInterval: durationMs(options.scheduleMs),
    log: options.log,
    metrics: options.metrics ?? NO_METRICS,
    onStanding: options.onStanding,
  };
  const chains = chained(
    rules,
    options.invocations((own) => createServices({ ...ports, ...own })),
  );
  const deliver = deliveries(options, chains.invoke);
  const send = <Event>(label: string, target: InProcessFunction<Event, unknown>, event: Event, chain: number): void =>
    deliver(target, event, { label, attempts: rules[target.name].attempts, chain });
  const streams = createStreams(options, triggers, deliver, chains.invoke);

  const schedules = triggers.schedules.map(({ name, label, fire }) => ({
    name,
    everyMs: options.scheduleMs,
    fire: () =>
      fire({
        scan: () => queue.scan(label, cluster.name),
        invoke: (target, event) => send(label, target, event, 0),
      }),
  }));
  let stopTimers = (): void => {};
  const stop = (): void => stopTimers();
  return {
    start: ({ atOnce } = { atOnce: false }) => {
      stopTimers = startTimers(clock, schedules, atOnce);
    },
    webhook: (event) => chains.invoke(triggers.webhook, event, 0),
    callWebhook: (label, event) => send(label, triggers.webhook, event, 0),
    report: (label, event) => void clock.after(network.eventBusMs(), () => send(label, triggers.eventBus, event, 0)),
    fire: (wanted) => schedules.find(({ name }) => name === wanted)?.fire(),
    stop,
    close: async () => {
      stop();
      await queue.close();
    },
  };
}
