import type { Intent, PersistedCluster } from '@outrigger/core/model/intent.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import { hasLimits } from '@outrigger/core/nodegroups/resource-quotas.ts';
import { type Lane, laneOf } from '@outrigger/core/actuation/intent-order.ts';
import { isRunOver, nextIntents, type RunProgress } from '@outrigger/core/actuation/next-intents.ts';
import type { ChangedCluster, ActuationServices } from '../shared/services.ts';
import { type IntentRun, performIntent } from './perform.ts';

/** Intents are loaded again no more often than this while some are worked on. */
const FRESH_MS = 1_000;

/** A run over the intents of a cluster, and how far it has come. */
interface Run extends RunProgress, IntentRun {
  readonly inHand: Map<Lane, boolean>;
  readonly blocked: Set<Lane>;
  readonly ended: Set<string>;
  readonly errors: unknown[];
  /** An intent was refused or failed, or has made room within the cluster's limits: the cluster is evaluated again. */
  evaluatesAgain: boolean;
  readonly changes: Changes;
}

/** The stored intents as they were at a time, with the number of intents that the run had ended by then. */
interface LoadedIntents extends Pick<PersistedCluster, 'version' | 'state' | 'intents'> {
  readonly at: EpochMs;
  readonly ended: number;
}

/**
 * Performs the intents of a cluster, for several groups at the same time. While an intent waits, further intents are
 * taken up, including intents that are decided meanwhile.
 *
 * @throws AggregateError when intents are left that a later run may perform.
 */
export async function runIntents(given: IntentRun): Promise<void> {
  const run = newRun(given);
  const { services, cluster } = given;
  const tasks: Promise<void>[] = [];
  try {
    let loaded = await load(run);
    for (;;) {
      for (const { intent, urgent } of nextIntents(loaded.intents, run, services.now())) {
        run.inHand.set(laneOf(intent), urgent);
        tasks.push(work(run, intent, loaded));
      }
      if (isRunOver(run, loaded.ended)) {
        break;
      }
      if (run.inHand.size > 0) {
        await run.changes.next();
      }
      if (run.inHand.size === 0 || services.now() - loaded.at >= FRESH_MS) {
        loaded = await load(run);
      }
    }
  } finally {
    await Promise.all(tasks);
  }
  if (run.evaluatesAgain) {
    await services.wake(cluster.name);
  }
  if (run.errors.length > 0) {
    throw new AggregateError(run.errors, `cluster ${cluster.name}: ${run.errors.length} intents are left`);
  }
}

function newRun(given: IntentRun): Run {
  const changes = createChanges();
  return {
    ...given,
    services: withYields(given.services, changes),
    inHand: new Map(),
    blocked: new Set(),
    ended: new Set(),
    errors: [],
    evaluatesAgain: false,
    changes,
  };
}

async function load({ services, cluster, signal, ended }: Run): Promise<LoadedIntents> {
  const seen = { at: services.now(), ended: ended.size };
  return { ...(await services.store.load(cluster.name, signal)), ...seen };
}

/** Performs one intent, and notes the outcome in the run. Never rejects. */
async function work(run: Run, intent: Intent, loaded: LoadedIntents): Promise<void> {
  try {
    const end = await performIntent(run, intent, loaded, run.changes.report);
    if (end === 'claimed') {
      run.blocked.add(laneOf(intent));
    }
    run.evaluatesAgain ||= end === 'refused' || end === 'failed' || (end === 'done' && makesRoom(intent, run.cluster));
  } catch (error) {
    run.blocked.add(laneOf(intent));
    run.errors.push(error);
  }
  run.ended.add(intent.id);
  run.inHand.delete(laneOf(intent));
  run.changes.report();
}

/**
 * Does the intent lower a target in a cluster with limits? The freed part of the limits is available when the change is
 * done, not when it is decided: pods may wait for it.
 */
const makesRoom = (intent: Intent, { options }: ChangedCluster): boolean =>
  (intent.kind === 'DeleteInstances' || (intent.kind === 'SetSize' && intent.to < intent.from)) && hasLimits(options);

/** Resumes the run when others of its intents may be taken up. */
interface Changes {
  readonly report: () => void;
  /** Resolves when something is reported that was not reported before the last call. */
  readonly next: () => Promise<void>;
}

function createChanges(): Changes {
  let changed = Promise.withResolvers<void>();
  return {
    report: () => changed.resolve(),
    next: async () => {
      await changed.promise;
      changed = Promise.withResolvers();
    },
  };
}

const withYields = (services: ActuationServices, { report }: Changes): ActuationServices => ({
  ...services,
  sleep: async (...waiting) => {
    report();
    await services.sleep(...waiting);
  },
});
