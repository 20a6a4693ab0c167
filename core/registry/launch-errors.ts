import type { FailureClass, LaunchFailure } from '../model/node-group.ts';
import type { InstanceId } from '../model/values/names.ts';
import { LASTING } from './backoff.ts';
import { failuresOf, type GroupCounts } from './counts.ts';

/** Failures of one group that no evaluation has acted on before. */
export interface LaunchErrors {
  readonly fresh: readonly LaunchFailure[];
  /** The class of failure to back off for; `null`: nothing new. */
  readonly class: FailureClass | null;
}

const NO_ERRORS: LaunchErrors = Object.freeze({ fresh: [], class: null });

/**
 * Errors that no evaluation has acted on before. Follows `handleInstanceCreationErrors` of Cluster Autoscaler's
 * clusterstate.go, which compares with the loop before; here what was seen is state.
 */
export function freshErrors(counts: GroupCounts, seen: readonly InstanceId[] = []): LaunchErrors {
  const failures = failuresOf(counts);
  if (failures.length === 0) {
    return NO_ERRORS;
  }
  const fresh = failures.filter(({ id }) => !seen.includes(id));
  const classes = fresh.map((failure) => failure.class);
  // A class of failure that does not go away by waiting decides the length of the backoff.
  return { fresh, class: LASTING.find((lasting) => classes.includes(lasting)) ?? classes[0] ?? null };
}

/** Zones in which the cloud has no capacity; `null` among them: a failure without a zone. */
export const zonesWithoutCapacity = ({ fresh }: LaunchErrors): ReadonlySet<LaunchFailure['zone']> =>
  new Set(fresh.filter((failure) => failure.class === 'OutOfResources').map(({ zone }) => zone));
