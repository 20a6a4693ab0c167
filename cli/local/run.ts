import { mapOptional, itemsIf } from '@outrigger/core/model/values/optional.ts';
import type { ClusterName } from '@outrigger/core/model/values/names.ts';
import type { StateStore } from '@outrigger/core/ports/state-store.ts';
import type { DrainStore } from '@outrigger/core/ports/drain-store.ts';
import type { DecisionHistory } from '@outrigger/core/ports/decision-history.ts';
import type { Heartbeat } from '@outrigger/core/ports/heartbeat.ts';
import type { DurationMs } from '@outrigger/core/model/values/time.ts';
import type { Cluster } from '../../functions/shared/services.ts';
import { isAdmitted } from '../../functions/ingest/ingest.ts';
import type { Log } from '@outrigger/core/ports/observability.ts';
import { hashOfToken, newToken } from '@outrigger/providers/kubernetes/webhook-token.ts';
import { createRealClock, type RealClock, realQueueTime } from '../../runtime/clock.ts';
import { createRuntime, type Runtime } from '../../runtime/dispatch.ts';
import type { FunctionName } from '../../runtime/functions.ts';
import { sandboxes } from '../../runtime/invocations.ts';
import { NO_LAMBDA, ONE_ATTEMPT, WAKE_UPS } from '../../runtime/lambda-rules.ts';
import { IN_PROCESS } from '../../runtime/network.ts';
import { watchApiServer } from './api-server-watch.ts';
import { errorText, withErrorsAsDetails } from './log.ts';
import { type Endpoint, type EndpointSettings, openEndpoint } from './endpoint/endpoint.ts';
import { type Address, hostInUrl } from './listening.ts';
import { takeOver } from './take-over.ts';
import { type WebhookServer, startWebhookServer } from './webhook-server.ts';

/** On exit, invocations may go on for this long before they are aborted. */
const GRACE_MS = 5_000;
/** Claims end by the clock, and a timer may fire a little early. */
const CLAIM_SLACK_MS = 100;

export interface Listen extends Address {
  /** The host by which the API server reaches the webhook server. */
  readonly advertise: string;
}

/** Installs the webhook in the API server. @returns a function that removes the webhook, unless it has been changed since */
export type WebhookFlag = (target: { readonly url: string; readonly ca: string }) => Promise<() => Promise<void>>;

export interface LocalSettings {
  readonly cluster: Cluster;
  readonly store: StateStore;
  readonly drains: DrainStore;
  readonly history: DecisionHistory;
  /** `null`: the state ends with the process. */
  readonly heartbeat: Heartbeat | null;
  /** Time between scheduled evaluations, in milliseconds. */
  readonly scheduleMs: number;
  /**
   * Time limit of one invocation, in milliseconds; its claims of intents last as long. After a process is killed, the
   * next one resumes its work after this time at the latest, and with a heartbeat within seconds.
   */
  readonly timeoutMs: DurationMs;
  /** Address for webhook notifications; `null`: evaluations are scheduled only. */
  readonly listen: Listen | null;
  /** `null`: the webhook is installed by other means. */
  readonly webhook: WebhookFlag | null;
  readonly dryRun: boolean;
  /** Address for metrics, the health check, and a page; `null`: none. */
  readonly endpoint: EndpointSettings | null;
  readonly log: Log;
}

export interface LocalRun {
  /** The webhook's URL with its token; `null` without `listen`. */
  readonly url: string | null;
  /** URL of metrics and the health check; `null` without `endpoint`. */
  readonly endpointUrl: string | null;
  /** PEM of the authority behind that URL's certificate; `null` without `listen`. */
  readonly ca: string | null;
  /** Removes the webhook, lets invocations finish, and ends. May be called more than once. */
  readonly close: () => Promise<void>;
}

/**
 * Scales one cluster from this process: the functions that run on AWS, with a queue, schedules, an outbox and a webhook
 * server in the process. The first evaluation starts at once.
 *
 * @throws when the webhook server cannot listen or the webhook cannot be installed; nothing is left running then
 */
export async function runLocally(settings: LocalSettings): Promise<LocalRun> {
  const token = newToken();
  const clock = createRealClock();
  const ends = { drives: new AbortController(), rest: new AbortController() };
  const { cluster, store, drains, dryRun, heartbeat } = settings;
  const { awaySince, reader, log } = watchApiServer(cluster.reader, settings.log, clock.now);
  const served = { cluster: cluster.name, options: cluster.options, stores: { store, drains }, dryRun, awaySince };
  const endpoint = await mapOptional(settings.endpoint, (given) => openEndpoint(given, { ...served, now: clock.now }));
  const watched = { ...settings, cluster: { ...cluster, reader }, log };
  const runtime = localRuntime(watched, { clock, ends, token, endpoint });
  const webhook = await mapOptional(settings.listen, (listen) =>
    openWebhook(runtime, settings, listen, token).catch(async (error: unknown) => {
      await endpoint?.close();
      throw error;
    }),
  );

  runtime.start({ atOnce: true });
  const life = new AbortController();
  if (heartbeat !== null && !dryRun) {
    const resume = (): void => runtime.fire('resumption');
    const work = { cluster: cluster.name, heartbeat, store, drains, clock, log: settings.log, resume };
    clock.start(() => takeOver(work, life.signal));
  }
  // The claims of a killed process last as long as an invocation may take: the work of the process is resumed after
  // that.
  const resumption = clock.after(settings.timeoutMs + CLAIM_SLACK_MS, () => runtime.fire('resumption'));

  const close = async (): Promise<void> => {
    runtime.stop();
    resumption.cancel();
    ends.drives.abort(new Error(ENDING));
    const abort = clock.after(GRACE_MS, () => ends.rest.abort(new Error(ENDING)));
    try {
      await webhook?.remove();
    } finally {
      await Promise.all([webhook?.server.close(), endpoint?.close(), runtime.close()]).finally(() =>
        life.abort(new Error(ENDING)),
      );
      await clock.settled();
      abort.cancel();
    }
  };
  let closing: Promise<void> | null = null;
  return {
    url: webhook?.url ?? null,
    endpointUrl: endpoint?.url ?? null,
    ca: webhook?.server.ca ?? null,
    close: () => (closing ??= close()),
  };
}

const ENDING = 'Outrigger is ending';

/** Aborts invocations on exit: drains at once, since another process resumes them; the others after `GRACE_MS`. */
interface Ends {
  readonly drives: AbortController;
  readonly rest: AbortController;
}

/** The parts of the process that its runtime works with. */
interface ProcessParts {
  readonly clock: RealClock;
  readonly ends: Ends;
  readonly token: string;
  readonly endpoint: Endpoint | null;
}

function localRuntime(settings: LocalSettings, { clock, ends, token, endpoint }: ProcessParts): Runtime {
  const { cluster, store, drains, history, timeoutMs } = settings;
  // Once the process ends, what fails because of that is no error: another process, or the next start, takes it up.
  const { signal: end } = ends.rest;
  const log = withErrorsAsDetails(settings.log, (error) => end.aborted && errorText(error).includes(ENDING));
  const invocations = sandboxes({
    clock,
    // A step of a drain has a limit of its own.
    timeoutMs: (target) => (target === 'drain' ? null : timeoutMs),
    stop: (target) => (target === 'drain' ? ends.drives : ends.rest).signal,
  });
  return createRuntime({
    cluster,
    store,
    drains,
    history,
    clock,
    queueTime: realQueueTime(clock),
    network: IN_PROCESS,
    tokenHashes: itemsIf(settings.listen !== null, [hashOfToken(token)]),
    dryRun: settings.dryRun,
    log,
    scheduleMs: settings.scheduleMs,
    claim: timeoutMs,
    stepMs: timeoutMs,
    visibilityTimeoutMs: timeoutMs,
    maxConcurrency: WAKE_UPS.maxConcurrency,
    // The next scan tries again.
    stream: { kind: 'messages', outboxBatch: Infinity, outbox: ONE_ATTEMPT, inbox: ONE_ATTEMPT },
    rules: NO_LAMBDA,
    metrics: endpoint?.metrics,
    onStanding: endpoint?.onDecision,
    invocations: endpoint?.watching(invocations) ?? invocations,
    onFailure: (target, error) => {
      if (target !== 'drain' || !ends.drives.signal.aborted) {
        log.error(FAILURES[target], { error });
      }
    },
    onGivenUp: () =>
      log.error(`Cluster ${cluster.name} could not be evaluated several times in a row; the next scan tries again`),
  });
}

const FAILURES: Readonly<Record<FunctionName, string>> = {
  'scale-up': 'An evaluation failed; the next scan tries again',
  'scale-down': 'An evaluation of scale-down failed; the next scan tries again',
  actuate: 'Some intents could not be carried out; the next scan tries again',
  drain: 'A drain was interrupted; a later scan resumes it',
  ingest: 'A webhook call could not be answered',
  wake: 'A wake-up could not be sent; the next scan tries again',
};

interface OpenWebhook {
  readonly server: WebhookServer;
  readonly url: string;
  /** Removes the webhook from the API server if it was installed. */
  readonly remove: () => Promise<void>;
}

/** Listens for webhook notifications, and installs the webhook in the API server if `webhook` is given. */
async function openWebhook(
  runtime: Runtime,
  { cluster: { name: cluster }, webhook, dryRun, log }: LocalSettings,
  { advertise, ...address }: Listen,
  token: string,
): Promise<OpenWebhook> {
  const door = { knows: (name: ClusterName) => name === cluster, tokenHashes: [hashOfToken(token)] };
  const server = await startWebhookServer(address, advertise, {
    admits: (path) => isAdmitted(door, path),
    answer: runtime.webhook,
  });
  const url = `https://${hostInUrl(advertise)}:${server.port}/${token}/${cluster}`;
  if (webhook === null || dryRun) {
    return { server, url, remove: async () => {} };
  }
  try {
    const remove = await webhook({ url, ca: server.ca });
    log.info(`The API server notifies ${advertise}:${server.port} of unschedulable pods`);
    return { server, url, remove };
  } catch (error) {
    await server.close();
    throw error;
  }
}
