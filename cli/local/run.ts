import { randomBytes } from 'node:crypto';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import type { ClusterName } from '../../core/model/names.ts';
import type { Options } from '../../core/model/options.ts';
import type { ClusterReader, ClusterWriter, DrainStore, NodeGroups, StateStore } from '../../core/model/ports.ts';
import type { DurationMs } from '../../core/model/time.ts';
import { createActuate, type Sweep } from '../../functions/actuate/actuate.ts';
import { driveDrains } from '../../functions/drain/drive.ts';
import { inProcess } from '../../functions/drain/pace.ts';
import { createIngest, isAdmitted } from '../../functions/ingest/ingest.ts';
import { createScaleUp } from '../../functions/scale-up/scale-up.ts';
import { systemClock } from '../../functions/shared/clock.ts';
import type { DrainRequest } from '../../functions/shared/drain-executions.ts';
import { dueMessage, wakeMessage } from '../../functions/shared/wake-up.ts';
import type { Cluster, Invocation, Log, Work, World } from '../../functions/shared/world.ts';
import { type DoorbellServer, startDoorbellServer } from './doorbell-server.ts';
import { createFifoQueue } from '../../providers/memory/fifo-queue.ts';
import { withOutbox } from './outbox.ts';
import { QUEUE_TIME } from './queue-time.ts';

/** How long a finished run waits for what is being worked on, before it is aborted. */
const GRACE_MS = 5_000;
/** A claim ends by the clock, a timer may be a little early. */
const CLAIM_SLACK_MS = 100;

export interface Listen {
  readonly host: string;
  readonly port: number;
  /** The host as the API server reaches it. */
  readonly advertise: string;
}

/** The doorbell in the API server. */
export interface Doorbell {
  readonly install: (target: { readonly url: string; readonly ca: string }) => Promise<void>;
  readonly remove: () => Promise<void>;
}

export interface LocalSettings {
  readonly cluster: ClusterName;
  readonly options: Options;
  readonly reader: ClusterReader;
  readonly writer: ClusterWriter;
  readonly groups: NodeGroups;
  readonly store: StateStore;
  readonly drains: DrainStore;
  /** Time between looks that nobody rings for, in milliseconds. */
  readonly scheduleMs: number;
  /**
   * How long one invocation of a function may take, in milliseconds; an intent that it works on is held for as long. So
   * long at most does what a killed process had begun wait for the next one.
   */
  readonly timeoutMs: DurationMs;
  /** Where to wait for the doorbell; `null`: go by the schedule alone. */
  readonly listen: Listen | null;
  /** `null`: somebody else tells the API server where to ring. */
  readonly doorbell: Doorbell | null;
  readonly dryRun: boolean;
  readonly log: Log;
}

export interface LocalRun {
  /** The URL to ring at, token and all; `null` without `listen`. */
  readonly url: string | null;
  /** PEM of the authority behind that URL's certificate; `null` without `listen`. */
  readonly ca: string | null;
  /** Takes the doorbell down, finishes what is being worked on, and ends. May be called more than once. */
  readonly close: () => Promise<void>;
}

/**
 * Looks after one cluster in this process: the functions that run on AWS, with a queue, a schedule, an outbox and a
 * doorbell of its own around them. The first look is at once.
 *
 * @throws when the doorbell cannot listen or be installed; nothing is left running then
 */
export async function runLocally(settings: LocalSettings): Promise<LocalRun> {
  const { cluster: name, log, dryRun } = settings;
  const stopping = new AbortController();
  /** Drains go on in another process: nobody waits for their ends. */
  const leaving = new AbortController();
  const invocation = (): Invocation => ({
    signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(settings.timeoutMs)]),
  });

  const queue = createFifoQueue({
    time: QUEUE_TIME,
    consume: async (event) => await scaleUp(event, invocation()),
    visibilityTimeoutMs: settings.timeoutMs,
    maxReceiveCount: 5,
    onGivenUp: () =>
      log.error(`Cluster ${name} could not be looked at, several times in a row; the next tick tries again`),
  });
  const cluster: Cluster = {
    name,
    provider: 'aws',
    options: settings.options,
    reader: settings.reader,
    writer: settings.writer,
    groups: settings.groups,
  };
  const drives = background(
    async (request: DrainRequest) =>
      await driveDrains(world, request, inProcess(systemClock, leaving.signal, settings.timeoutMs), leaving.signal),
    (error) => {
      if (!leaving.signal.aborted) {
        log.error('A drain is left where it is; a later tick takes it up', { error });
      }
    },
  );
  const actuations = background(
    async (event: DynamoDBStreamEvent | Sweep) => await actuate(event, invocation()),
    (error) => log.error('Not everything that was decided is done; the next tick tries again', { error }),
  );
  const world: World = {
    ...systemClock,
    log,
    metrics: { count: () => {}, milliseconds: () => {} },
    dryRun,
    store: withOutbox(settings.store, actuations.start),
    drains: settings.drains,
    startDrains: async (wanted, ids, attempt) => drives.start({ cluster: wanted, ids, attempt }),
    cluster: (wanted) => (wanted === name ? cluster : null),
    wake: async (wanted, look) => queue.send(wakeMessage(wanted, systemClock.now(), look)),
    wakeAt: async (wanted, due, look) => queue.send(dueMessage(wanted, systemClock.now(), due, look)),
    redeliverAfter: async (receiptHandle, seconds) => queue.changeVisibility(receiptHandle, seconds),
  };
  const scaleUp = createScaleUp(world);
  const actuate: Work<DynamoDBStreamEvent | Sweep, void> = createActuate(world, settings.timeoutMs);

  const bell = settings.listen === null ? null : await openDoor(world, name, settings.listen);
  if (bell !== null && settings.doorbell !== null && !dryRun) {
    try {
      await settings.doorbell.install(bell);
    } catch (error) {
      await bell.server.close();
      throw error;
    }
    log.info(`The API server rings at ${settings.listen!.advertise}:${bell.server.port} when a pod finds no node`);
  }

  let ticks = 0;
  const sweep = (): void => actuations.start({ sweep: name });
  const tick = (): void => {
    ticks += 1;
    queue.send({ body: JSON.stringify({ cluster: name }), group: name, deduplicationId: `tick:${ticks}` });
    sweep();
  };
  const schedule = setInterval(tick, settings.scheduleMs);
  // At the start too: whoever kept this state before may have been killed before it made what it had decided. What it
  // was about to make is still held by it, and no longer when this second sweep comes.
  tick();
  const secondSweep = setTimeout(sweep, settings.timeoutMs + CLAIM_SLACK_MS);

  const close = async (): Promise<void> => {
    clearInterval(schedule);
    leaving.abort(new Error('Outrigger is ending'));
    clearTimeout(secondSweep);
    const abort = setTimeout(() => stopping.abort(new Error('Outrigger is ending')), GRACE_MS);
    try {
      if (bell !== null && settings.doorbell !== null && !dryRun) {
        await settings.doorbell.remove();
      }
    } finally {
      await Promise.all([bell?.server.close(), queue.close()]);
      await Promise.all([actuations.settled(), drives.settled()]);
      clearTimeout(abort);
    }
  };
  let closing: Promise<void> | null = null;
  return {
    url: bell?.url ?? null,
    ca: bell?.ca ?? null,
    close: () => (closing ??= close()),
  };
}

interface Bell {
  readonly server: DoorbellServer;
  readonly url: string;
  readonly ca: string;
}

async function openDoor(world: World, name: ClusterName, { host, port, advertise }: Listen): Promise<Bell> {
  const token = randomBytes(20).toString('hex');
  const door = { ...world, knows: (wanted: ClusterName) => wanted === name, tokens: async () => [token] };
  const ingest = createIngest(door);
  const invocation = { signal: new AbortController().signal };
  const server = await startDoorbellServer(host, port, advertise, {
    admits: async (path) => await isAdmitted(door, path),
    answer: async (event) => await ingest(event, invocation),
  });
  const authority = advertise.includes(':') ? `[${advertise}]` : advertise;
  return { server, url: `https://${authority}:${server.port}/${token}/${name}`, ca: server.ca };
}

/** Runs work that nobody waits for. */
function background<T>(work: (input: T) => Promise<void>, onFailure: (error: unknown) => void) {
  const running = new Set<Promise<void>>();
  return {
    start: (input: T): void => {
      const run = work(input)
        .catch(onFailure)
        .finally(() => running.delete(run));
      running.add(run);
    },
    settled: async (): Promise<void> => {
      await Promise.all(running);
    },
  };
}
