import type { DynamoDBStreamEvent } from 'aws-lambda';
import { clip } from '../../core/model/values/clip.ts';
import { type ClusterName, clusterName, type GroupName } from '../../core/model/values/names.ts';
import type { Intent, PersistedCluster } from '../../core/model/intent.ts';
import { addTime, type DurationMs, minutes } from '../../core/model/values/time.ts';
import { explainIntent } from '../../core/words/intents.ts';
import { type Cluster, managedCluster, type Work, type World } from '../shared/world.ts';
import { deleteInstances } from './delete-instances.ts';
import { LONGEST_OUTCOME, type Outcome } from './outcome.ts';
import { isLastAttempt } from '../../core/actuation/intent-age.ts';
import { isOvertaken, registeredSince } from '../../core/actuation/superseded.ts';
import { nextIntents } from '../../core/actuation/next-intents.ts';
import { removeNodes } from './remove-nodes.ts';
import { restartDrains } from './restart-drains.ts';
import { setSize } from './set-size.ts';

/** Intents are loaded again no more often than this while some are worked on. */
const FRESH_MS = 1_000;
/**
 * Longer than the function may run (50 s) plus the difference of two hosts' clocks, a minute: no claim ends while its
 * holder still runs.
 */
export const CLAIM = minutes(2);
/** From a change in the cloud to the description that shows it. */
const SHOWN_AFTER_MS = 5_000;
/** The largest share of a claim that is spent on waiting for that. */
const SHARE_OF_CLAIM = 0.2;

/** The schedule's request to resume what has stopped; `sweep` is what older stacks send. */
export type Resume = { readonly resume: string } | { readonly sweep: string };

/**
 * Makes the changes that were decided. The stream's records say whose intents are new, nothing more; the intents
 * themselves come from the store. Delivery is at least once, effects are once: an intent is claimed before it is
 * worked on, sizes are absolute and set only from the value that was decided upon, a group is read again before each of its
 * instances is terminated, and one group's intents are worked on in the order of their decisions.
 *
 * A resumption by the schedule also finds drains whose driver has died.
 *
 * Rejects when something is left undone that a later try may do: the stream delivers again, and the schedule
 * takes up what a crashed function has left claimed.
 *
 * @param claim how long an intent is held; at least as long as an invocation may take.
 */
export function createActuate(world: World, claim: DurationMs = CLAIM): Work<DynamoDBStreamEvent | Resume, void> {
  return async (event, { signal }) => {
    const outcomes = await Promise.allSettled(
      clustersOf(event).map(async (name) => {
        const cluster = managedCluster(world, name);
        if (cluster === null) {
          return;
        }
        await actuateCluster(world, cluster, claim, signal);
        if (!('Records' in event) && !world.dryRun) {
          await restartDrains(world, cluster, signal);
        }
      }),
    );
    const errors = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
    if (errors.length > 0) {
      throw errors.length === 1 ? errors[0] : new AggregateError(errors, 'several clusters have intents left');
    }
  };
}

/** The clusters that an event is about, each once. Keys are `pk = CLUSTER#<name>`, `sk = INTENT#<id>`. */
function clustersOf(event: DynamoDBStreamEvent | Resume): readonly ClusterName[] {
  if (!('Records' in event)) {
    return [clusterName('resume' in event ? event.resume : event.sweep)];
  }
  const names = new Set<string>();
  for (const { dynamodb } of event.Records) {
    const pk = dynamodb?.Keys?.['pk']?.S;
    const sk = dynamodb?.Keys?.['sk']?.S;
    if (pk?.startsWith('CLUSTER#') === true && sk?.startsWith('INTENT#') === true) {
      names.add(pk.slice('CLUSTER#'.length));
    }
  }
  return [...names].map(clusterName);
}

async function actuateCluster(world: World, cluster: Cluster, claim: DurationMs, signal: AbortSignal): Promise<void> {
  if (world.dryRun) {
    return;
  }
  // Groups with an intent that is claimed by another invocation, or cannot be finished now: not of this run any more.
  const blocked = new Set<GroupName>();
  const errors: unknown[] = [];
  let evaluatesAgain = false;
  /** Groups, and whether pods wait for what is being done. */
  const inHand = new Map<GroupName, boolean>();
  const ended = new Set<string>();
  const tasks: Promise<void>[] = [];
  let changed = Promise.withResolvers<void>();
  /** While one intent waits, others are taken up, those included that were decided meanwhile. */
  const yielding: World = {
    ...world,
    sleep: async (...waiting) => {
      changed.resolve();
      await world.sleep(...waiting);
    },
  };
  const work = async (intent: Intent, known: Known): Promise<void> => {
    try {
      const end = await perform(yielding, cluster, intent, known, claim, () => changed.resolve(), signal);
      if (end === 'claimed') {
        blocked.add(intent.group);
      }
      evaluatesAgain ||= end === 'refused' || end === 'failed';
    } catch (error) {
      blocked.add(intent.group);
      errors.push(error);
    }
    ended.add(intent.id);
    inHand.delete(intent.group);
    changed.resolve();
  };
  try {
    // Loaded again once every intent has ended: an invocation for a later intent of a group has found this one claimed,
    // and has left both to this invocation.
    for (let known = await loadIntents(world, cluster, 0, signal); ;) {
      const open = known.intents.filter(
        ({ id, group, status }) => status === 'pending' && !ended.has(id) && !blocked.has(group),
      );
      for (const { intent, urgent } of nextIntents(open, inHand, world.now())) {
        inHand.set(intent.group, urgent);
        tasks.push(work(intent, known));
      }
      if (inHand.size === 0 && known.ended === ended.size) {
        break;
      }
      if (inHand.size > 0) {
        await changed.promise;
        changed = Promise.withResolvers<void>();
      }
      if (inHand.size === 0 || world.now() - known.at >= FRESH_MS) {
        known = await loadIntents(world, cluster, ended.size, signal);
      }
    }
  } finally {
    await Promise.all(tasks);
  }
  if (evaluatesAgain) {
    await world.wake(cluster.name);
  }
  if (errors.length > 0) {
    throw new AggregateError(errors, `cluster ${cluster.name}: ${errors.length} intents are left`);
  }
}

/** The stored intents, with the time of loading and the number of intents that this run had ended by then. */
async function loadIntents({ store, now }: World, cluster: Cluster, ended: number, signal: AbortSignal) {
  const at = now();
  const { version, intents, state } = await store.load(cluster.name, signal);
  return { version, intents, state, at, ended };
}

/** What the store said before an intent was taken up. */
type Known = Pick<PersistedCluster, 'version' | 'state'>;

type End = 'done' | 'refused' | 'failed' | 'claimed';

async function perform(
  world: World,
  cluster: Cluster,
  pending: Intent,
  known: Known,
  claim: DurationMs,
  onProgress: () => void,
  signal: AbortSignal,
): Promise<End> {
  const now = world.now();
  const intent = await world.store.claimIntent(cluster.name, pending.id, now, addTime(now, claim), signal);
  if (intent === null) {
    return 'claimed';
  }
  const { status, failure, ...end } = await carryOut(world, cluster, intent, known, claim, onProgress, signal).catch(
    async (error: unknown) => {
      // So that the next delivery need not wait for the end of the claim.
      await world.store
        .releaseIntent(cluster.name, intent.id, intent.claimedUntil ?? now, signal)
        .catch((reason: unknown) => world.log.warn(`Intent ${intent.id} stays claimed for a while`, { error: reason }));
      throw error;
    },
  );
  const message = clip(end.message, LONGEST_OUTCOME);
  const { id, group } = intent;
  const outcome = status === 'done' ? null : { message, class: failure };
  await world.store.endIntent(cluster.name, id, status, outcome, signal);
  const { phrase, fields } = explainIntent(intent);
  const text = `${cluster.name}: ${group} ${phrase} ${status}: ${message}`;
  world.log[status === 'done' ? 'info' : 'warn'](text, { intent: id, group, status, ...fields });
  world.metrics.count(METRICS[intent.kind][status], 1);
  return status;
}

const METRICS = {
  SetSize: { done: 'SizesSet', refused: 'SizesRefused', failed: 'SizesFailed' },
  DeleteInstances: { done: 'DeletionsDone', refused: 'DeletionsRefused', failed: 'DeletionsFailed' },
  RemoveNodes: { done: 'RemovalsStarted', refused: 'RemovalsRefused', failed: 'RemovalsFailed' },
} as const;

/** Rejects when a later attempt may still succeed. */
async function carryOut(
  world: World,
  cluster: Cluster,
  intent: Intent,
  known: Known,
  claim: DurationMs,
  onProgress: () => void,
  signal: AbortSignal,
): Promise<Outcome> {
  const shownAfterMs = Math.min(SHOWN_AFTER_MS, SHARE_OF_CLAIM * claim);
  try {
    switch (intent.kind) {
      case 'SetSize':
        return await setSize(world, cluster, intent, isOvertaken(intent, known.state), shownAfterMs, signal);
      case 'DeleteInstances':
        return await deleteInstances(world, cluster, intent, registeredSince(intent, known), onProgress, signal);
      case 'RemoveNodes':
        return await removeNodes(world, cluster, intent, signal);
    }
  } catch (error) {
    if (!isLastAttempt(intent, world.now())) {
      throw error;
    }
    const message = `given up after ${intent.attempts} attempts: ${error instanceof Error ? error.message : String(error)}`;
    return { status: 'failed', message, failure: 'Other' };
  }
}
