import type { DynamoDBStreamEvent } from 'aws-lambda';
import { clip } from '../../core/model/values/clip.ts';
import { type ClusterName, clusterName, type GroupName } from '../../core/model/values/names.ts';
import type { Intent, PersistedCluster } from '../../core/model/intent.ts';
import { addTime, type DurationMs, minutes } from '../../core/model/values/time.ts';
import type { Cluster, LogFields, Work, World } from '../shared/world.ts';
import { deleteInstances } from './delete-instances.ts';
import { LONGEST_OUTCOME, type Outcome } from './outcome.ts';
import { isOvertaken, registeredSince } from '../../core/actuation/superseded.ts';
import { nextIntents } from '../../core/actuation/next-intents.ts';
import { removeNodes } from './remove-nodes.ts';
import { restartDrains } from './restart-drains.ts';
import { setSize } from './set-size.ts';

/** What was loaded so lately is not loaded again while something is in hand. */
const FRESH_MS = 1_000;
/**
 * Longer than the function may run (50 s), though the clocks of two hosts be a minute apart, so that no claim ends while
 * its holder still lives.
 */
export const CLAIM = minutes(2);
/** From a change in the cloud to the description that shows it. */
const SHOWN_AFTER_MS = 5_000;
/** No more than this share of a claim is spent on waiting for that, or short ones would come to no end. */
const SHARE_OF_CLAIM = 0.2;
/** An intent that was tried so often, for so long, without coming to an end will not come to one. */
const MAX_ATTEMPTS = 5;
const GIVE_UP_AFTER = minutes(5);

/** The schedule's request to take up what was left behind; `sweep` is what older stacks send. */
export type Resume = { readonly resume: string } | { readonly sweep: string };

/**
 * Makes the changes that were decided. The stream's records say whose intents are new, nothing more; the intents
 * themselves come from the store. Delivery is at least once, effects are once: an intent is claimed before it is
 * worked on, sizes are absolute and set only from the value that was decided upon, instances are read again before
 * they are terminated, and one group's intents are worked on in the order of their decisions.
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
        const cluster = world.cluster(name);
        if (cluster === null) {
          world.log.error(`Intents of cluster ${name}, which is not looked after here, are left alone`);
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
      throw errors.length === 1 ? errors[0] : new AggregateError(errors, 'several clusters have sizes left to set');
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
  // A group is out of this run once one of its intents is claimed elsewhere or cannot be finished now.
  const blocked = new Set<GroupName>();
  const errors: unknown[] = [];
  let lookAgain = false;
  /** Groups, and whether pods wait for what is being done. */
  const inHand = new Map<GroupName, boolean>();
  const ended = new Set<string>();
  const tasks: Promise<void>[] = [];
  let changed = Promise.withResolvers<void>();
  /** While something takes its time others are not to wait for it, those included that were decided meanwhile. */
  const considerate: World = {
    ...world,
    sleep: async (...waiting) => {
      changed.resolve();
      await world.sleep(...waiting);
    },
  };
  const work = async (intent: Intent, known: Known): Promise<void> => {
    try {
      const end = await perform(considerate, cluster, intent, known, claim, () => changed.resolve(), signal);
      if (end === 'not mine') {
        blocked.add(intent.group);
      }
      lookAgain ||= end === 'refused' || end === 'failed';
    } catch (error) {
      blocked.add(intent.group);
      errors.push(error);
    }
    ended.add(intent.id);
    inHand.delete(intent.group);
    changed.resolve();
  };
  try {
    // Loaded again once all intents have ended: the run that ends an intent also carries out those that were added behind
    // it meanwhile, for the runs that were started for them have found it claimed.
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
  if (lookAgain) {
    await world.wake(cluster.name);
  }
  if (errors.length > 0) {
    throw new AggregateError(errors, `cluster ${cluster.name}: ${errors.length} sizes are left to set`);
  }
}

/** The pending intents, the time of their loading, and the number of intents that had ended by then. */
async function loadIntents({ store, now }: World, cluster: Cluster, ended: number, signal: AbortSignal) {
  const at = now();
  const { version, intents, state } = await store.load(cluster.name, signal);
  return { version, intents, state, at, ended };
}

/** What the store said before an intent was taken up. */
type Known = Pick<PersistedCluster, 'version' | 'state'>;

type End = 'done' | 'refused' | 'failed' | 'not mine';

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
    return 'not mine';
  }
  const { status, failure, ...end } = await carryOut(world, cluster, intent, known, claim, onProgress, signal).catch(
    async (error: unknown) => {
      // The next run may try at once, rather than find it claimed until the claim ends.
      await world.store
        .releaseIntent(cluster.name, intent.id, intent.claimedUntil ?? now, signal)
        .catch((reason: unknown) => world.log.warn(`Intent ${intent.id} stays claimed for a while`, { error: reason }));
      throw error;
    },
  );
  const message = clip(end.message, LONGEST_OUTCOME);
  await world.store.endIntent(
    cluster.name,
    intent.id,
    status,
    status === 'done' ? null : { message, class: failure },
    signal,
  );
  const { id, group } = intent;
  world.log[status === 'done' ? 'info' : 'warn'](
    `${cluster.name}: ${group} ${describe(intent)} ${status}: ${message}`,
    { intent: id, group, status, ...detailsOf(intent) },
  );
  world.metrics.count(METRICS[intent.kind][status], 1);
  return status;
}

const METRICS = {
  SetSize: { done: 'SizesSet', refused: 'SizesRefused', failed: 'SizesFailed' },
  DeleteInstances: { done: 'DeletionsDone', refused: 'DeletionsRefused', failed: 'DeletionsFailed' },
  RemoveNodes: { done: 'RemovalsStarted', refused: 'RemovalsRefused', failed: 'RemovalsFailed' },
} as const;

function detailsOf(intent: Intent): LogFields {
  switch (intent.kind) {
    case 'SetSize':
      return { from: intent.from, to: intent.to };
    case 'DeleteInstances':
      return { instances: intent.instances };
    case 'RemoveNodes':
      return { nodes: intent.nodes.map(({ node }) => node) };
  }
}

function describe(intent: Intent): string {
  switch (intent.kind) {
    case 'SetSize':
      return `${intent.from} → ${intent.to}`;
    case 'DeleteInstances':
      return `without ${intent.instances.join(', ')}`;
    case 'RemoveNodes':
      return `without ${intent.nodes.map(({ node }) => node).join(', ')}`;
  }
}

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
  try {
    switch (intent.kind) {
      case 'SetSize':
        return await setSize(
          world,
          cluster,
          intent,
          isOvertaken(intent, known.state),
          Math.min(SHOWN_AFTER_MS, SHARE_OF_CLAIM * claim),
          signal,
        );
      case 'DeleteInstances':
        return await deleteInstances(world, cluster, intent, registeredSince(intent, known), onProgress, signal);
      case 'RemoveNodes':
        return await removeNodes(world, cluster, intent, signal);
    }
  } catch (error) {
    if (intent.attempts < MAX_ATTEMPTS || world.now() < addTime(intent.createdAt, GIVE_UP_AFTER)) {
      throw error;
    }
    const message = `given up after ${intent.attempts} attempts: ${error instanceof Error ? error.message : String(error)}`;
    return { status: 'failed', message, failure: 'Other' };
  }
}
