import { hasEnded } from '@outrigger/core/model/drain.ts';
import type { ClusterName } from '@outrigger/core/model/values/names.ts';
import type { DrainStore } from '@outrigger/core/ports/drain-store.ts';
import type { Heartbeat } from '@outrigger/core/ports/heartbeat.ts';
import type { Log } from '@outrigger/core/ports/observability.ts';
import type { StateStore } from '@outrigger/core/ports/state-store.ts';
import type { RuntimeClock } from '../../runtime/clock.ts';

/** Between two signs of life, in milliseconds. */
const BEAT_MS = 2_000;
/** A process that gives no sign of life for so long has ended. */
const SILENT_MS = 6_000;

export interface TakeOver {
  readonly cluster: ClusterName;
  readonly heartbeat: Heartbeat;
  readonly store: Pick<StateStore, 'pendingIntents' | 'releaseIntent'>;
  readonly drains: Pick<DrainStore, 'list' | 'save'>;
  readonly clock: Pick<RuntimeClock, 'now' | 'sleep'>;
  readonly log: Pick<Log, 'info' | 'warn'>;
  /** Resumes interrupted work. */
  readonly resume: () => void;
}

/**
 * Gives signs of life until the signal is aborted. Before the first, it waits for one of the process that ran the cluster
 * last: where there is none, that process was killed, and its claims, which would last for as long as an invocation may
 * take, are released. Its calls have ended with it by then.
 */
export async function takeOver(given: TakeOver, signal: AbortSignal): Promise<void> {
  const { cluster, heartbeat, clock, log } = given;
  const attempted = async (what: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (!signal.aborted) {
        log.warn(`${cluster}: ${what}`, { error });
      }
    }
  };
  await attempted('the work of the process before this one is resumed when its claims end', async () => {
    await releaseLeftovers(given, signal);
  });
  while (!signal.aborted) {
    await attempted('a sign of life of this process could not be stored', async () => {
      await heartbeat.beat(cluster, signal);
    });
    await clock.sleep(BEAT_MS, signal).catch(() => {});
  }
}

/** Releases what was claimed when this process began, and is still claimed by a process that has ended. */
async function releaseLeftovers(
  { cluster, heartbeat, store, drains, clock, log, resume }: TakeOver,
  signal: AbortSignal,
): Promise<void> {
  const before = await heartbeat.last(cluster, signal);
  if (before === null) {
    return;
  }
  const intents = await store.pendingIntents(cluster, signal);
  const driven = await drains.list(cluster, signal);
  await clock.sleep(SILENT_MS, signal);
  if ((await heartbeat.last(cluster, signal)) !== before) {
    log.warn(`Another process runs cluster ${cluster}: end one of them, as both change the same node groups`);
    return;
  }
  const now = clock.now();
  let released = 0;
  for (const { id, claimedUntil } of intents) {
    if (claimedUntil !== null && claimedUntil > now) {
      await store.releaseIntent(cluster, id, claimedUntil, signal);
      released += 1;
    }
  }
  for (const { drain, attempt, drivenUntil, revision } of driven) {
    if (!hasEnded(drain) && drivenUntil > now) {
      await drains.save(cluster, { drain, attempt, drivenUntil: now }, revision, signal);
      released += 1;
    }
  }
  if (released > 0) {
    log.info(`The process that ran cluster ${cluster} before has ended: its work is taken over`);
    resume();
  }
}
