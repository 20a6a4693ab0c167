import type { DynamoDBStreamEvent } from 'aws-lambda';
import { type ClusterName, clusterName } from '../../core/model/names.ts';
import type { FailureClass } from '../../core/model/node-group.ts';
import type { GroupSize, Intent } from '../../core/model/ports.ts';
import { addTime, seconds } from '../../core/model/time.ts';
import type { Cluster, Work, World } from '../shared/world.ts';
import { firstOfEachGroup } from './queue.ts';

/** Groups whose sizes are set at the same time. */
const PARALLEL_GROUPS = 8;
/** Longer than the function may run, so that no claim ends while its holder still lives. */
export const CLAIM = seconds(60);
/** Waiting times between tries while the cloud throttles, in milliseconds. */
const THROTTLE_WAITS_MS = [1_000, 2_000, 4_000, 8_000];
/** Somebody who has claimed an intent so often without ending it will not end it. */
const MAX_ATTEMPTS = 5;

/** The schedule's request to take up what was left behind. */
export interface Sweep {
  readonly sweep: string;
}

/**
 * Sets the sizes that were decided. The stream's records say whose intents are new, nothing more; the intents
 * themselves come from the store. Delivery is at least once, effects are once: an intent is claimed before it is
 * worked on, sizes are absolute and set only from the value that was decided upon, and one group's intents are worked
 * on in the order of their decisions.
 *
 * Rejects when something is left undone that a later try may do: the stream delivers again, and the schedule's sweep
 * takes up what a crashed function has left claimed.
 */
export function createActuate(world: World): Work<DynamoDBStreamEvent | Sweep, void> {
  return async (event, { signal }) => {
    const outcomes = await Promise.allSettled(
      clustersOf(event).map(async (name) => {
        const cluster = world.cluster(name);
        if (cluster === null) {
          world.log.error(`Intents of cluster ${name}, which is not looked after here, are left alone`);
          return;
        }
        await actuateCluster(world, cluster, signal);
      }),
    );
    const errors = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
    if (errors.length > 0) {
      throw errors.length === 1 ? errors[0] : new AggregateError(errors, 'several clusters have sizes left to set');
    }
  };
}

/** The clusters that an event is about, each once. Keys are `pk = CLUSTER#<name>`, `sk = INTENT#<id>`. */
function clustersOf(event: DynamoDBStreamEvent | Sweep): readonly ClusterName[] {
  if ('sweep' in event) {
    return [clusterName(event.sweep)];
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

async function actuateCluster(world: World, cluster: Cluster, signal: AbortSignal): Promise<void> {
  if (world.dryRun) {
    return;
  }
  // A group is out of this run once one of its intents is in somebody else's hands or cannot be finished now.
  const blocked = new Set<string>();
  const errors: unknown[] = [];
  let lookAgain = false;
  // Loaded again after each round: whoever ends an intent also takes up the ones that were added behind it meanwhile,
  // for those who added them have seen it claimed and gone away.
  for (;;) {
    const { intents } = await world.store.load(cluster.name, signal);
    const next = firstOfEachGroup(intents, world.now()).filter(({ group }) => !blocked.has(group));
    if (next.length === 0) {
      break;
    }
    await inParallel(next, PARALLEL_GROUPS, async (intent) => {
      try {
        const end = await perform(world, cluster, intent, signal);
        if (end === 'not mine') {
          blocked.add(intent.group);
        }
        lookAgain ||= end === 'refused' || end === 'failed';
      } catch (error) {
        blocked.add(intent.group);
        errors.push(error);
      }
    });
  }
  if (lookAgain) {
    await world.wake(cluster.name);
  }
  if (errors.length > 0) {
    throw new AggregateError(errors, `cluster ${cluster.name}: ${errors.length} sizes are left to set`);
  }
}

type End = 'done' | 'refused' | 'failed' | 'not mine';

async function perform(world: World, cluster: Cluster, pending: Intent, signal: AbortSignal): Promise<End> {
  const now = world.now();
  const intent = await world.store.claimIntent(cluster.name, pending.id, now, addTime(now, CLAIM), signal);
  if (intent === null) {
    return 'not mine';
  }
  const { status, message, failure } = await setSize(world, cluster, intent, signal);
  await world.store.endIntent(
    cluster.name,
    intent.id,
    status,
    status === 'done' ? null : { message, class: failure },
    signal,
  );
  const { id, group, from, to } = intent;
  world.log[status === 'done' ? 'info' : 'warn'](`${cluster.name}: ${group} ${from} → ${to} ${status}: ${message}`, {
    intent: id,
    group,
    from,
    to,
    status,
  });
  world.metrics.count(status === 'done' ? 'SizesSet' : status === 'refused' ? 'SizesRefused' : 'SizesFailed', 1);
  return status;
}

interface Outcome {
  readonly status: 'done' | 'refused' | 'failed';
  readonly message: string;
  readonly failure: FailureClass | null;
}

/** Rejects when a later attempt may still succeed. */
async function setSize(world: World, cluster: Cluster, intent: Intent, signal: AbortSignal): Promise<Outcome> {
  const { group, to } = intent;
  try {
    for (let tries = 0; ; tries += 1) {
      const verdict = judge(intent, await cluster.groups.readSize(group, signal));
      if (verdict.kind !== 'set') {
        return { status: verdict.kind, message: verdict.reason, failure: null };
      }
      const outcome = await cluster.groups.setSize(group, to, signal);
      if (outcome.kind === 'set') {
        return { status: 'done', message: 'the cloud was asked', failure: null };
      }
      const message = `${outcome.code}: ${outcome.message}`;
      if (outcome.class !== 'Throttled') {
        return { status: 'failed', message, failure: outcome.class };
      }
      const wait = THROTTLE_WAITS_MS[tries];
      if (wait === undefined) {
        throw new Error(`setting the size of ${group} to ${to} is throttled (${message}); it stays pending`);
      }
      await world.sleep(wait, signal);
    }
  } catch (error) {
    if (intent.attempts < MAX_ATTEMPTS) {
      throw error;
    }
    const message = `given up after ${intent.attempts} attempts: ${error instanceof Error ? error.message : String(error)}`;
    return { status: 'failed', message, failure: 'Other' };
  }
}

type Verdict = { readonly kind: 'set' } | { readonly kind: 'done' | 'refused'; readonly reason: string };

/** May this size be set, given what the group's sizes are now? */
export function judge({ from, to }: Pick<Intent, 'from' | 'to'>, size: GroupSize | null): Verdict {
  if (size === null) {
    return { kind: 'refused', reason: 'the group is gone' };
  }
  if (size.target === to) {
    return { kind: 'done', reason: 'that is the target already' };
  }
  if (size.target !== from) {
    return { kind: 'refused', reason: `the target is now ${size.target}, decided from ${from}` };
  }
  if (to > size.max) {
    return { kind: 'refused', reason: `the maximum is now ${size.max}, decided ${to}` };
  }
  return { kind: 'set' };
}

async function inParallel<T>(items: readonly T[], limit: number, act: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  await Promise.all(
    Array.from({ length: Math.min(limit, items.length) }, async () => {
      for (const item of left) {
        await act(item);
      }
    }),
  );
}
