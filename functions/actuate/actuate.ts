import type { DynamoDBStreamEvent } from 'aws-lambda';
import { clusterOfPartition, INTENT_PREFIX } from '@outrigger/core/model/table-keys.ts';
import { type ClusterName, clusterName } from '@outrigger/core/model/values/names.ts';
import { type DurationMs, minutes } from '@outrigger/core/model/values/time.ts';
import { type ActuationServices, managedCluster, type Work } from '../shared/services.ts';
import { restartDrains } from './restart-drains.ts';
import { runIntents } from './run.ts';

/**
 * Longer than the function may run (50 s) plus the difference of two hosts' clocks, a minute: no claim ends while its
 * holder still runs.
 */
export const CLAIM = minutes(2);

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
export function createActuate(
  services: ActuationServices,
  claim: DurationMs = CLAIM,
): Work<DynamoDBStreamEvent | Resume, void> {
  return async (event, { signal }) => {
    const outcomes = await Promise.allSettled(
      clustersOf(event).map(async (name) => {
        const cluster = managedCluster(services, name);
        if (cluster === null || services.dryRun) {
          return;
        }
        await runIntents({ services, cluster, signal, claim });
        if (!('Records' in event)) {
          await restartDrains({ services, cluster, signal });
        }
      }),
    );
    const errors = outcomes
      .filter((outcome) => outcome.status === 'rejected')
      .map(({ reason }: { readonly reason: unknown }) => reason);
    if (errors.length > 0) {
      throw errors.length === 1 ? errors[0] : new AggregateError(errors, 'several clusters have intents left');
    }
  };
}

/** The clusters that an event is about, each once. */
function clustersOf(event: DynamoDBStreamEvent | Resume): readonly ClusterName[] {
  if (!('Records' in event)) {
    return [clusterName('resume' in event ? event.resume : event.sweep)];
  }
  const names = new Set<ClusterName>();
  for (const { dynamodb } of event.Records) {
    const pk = dynamodb?.Keys?.['pk']?.S;
    const sk = dynamodb?.Keys?.['sk']?.S;
    const name = pk === undefined ? null : clusterOfPartition(pk);
    if (name !== null && sk?.startsWith(INTENT_PREFIX) === true) {
      names.add(name);
    }
  }
  return [...names];
}
