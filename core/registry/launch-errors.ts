import type { FailureClass, Instance, NodeGroup } from '../model/node-group.ts';
import type { InstanceId } from '../model/values/names.ts';
import { LASTING } from './backoff.ts';
import type { GroupCounts } from './counts.ts';

/** Instances of one group that the cloud has given up, as far as nobody has acted on them yet. */
export interface LaunchErrors {
  readonly fresh: readonly Instance[];
  /** What to back off for; `null`: nothing new. */
  readonly class: FailureClass | null;
}

/**
 * Errors that no evaluation has acted on before. Follows `handleInstanceCreationErrors` of Cluster Autoscaler's
 * clusterstate.go, which compares with the loop before; here what was seen is state.
 */
export function freshErrors(counts: GroupCounts, seen: readonly InstanceId[] = []): LaunchErrors {
  const fresh = counts.errored.filter(({ id }) => !seen.includes(id));
  const classes = fresh.flatMap(({ error }) => error?.class ?? []);
  // Where instances failed for several reasons, the one that no waiting mends decides how long to wait.
  return { fresh, class: LASTING.find((lasting) => classes.includes(lasting)) ?? classes[0] ?? null };
}

/** Where the cloud has run out; `null` among them: it did not say. */
export const zonesWithoutCapacity = ({ fresh }: LaunchErrors): ReadonlySet<NodeGroup['instances'][number]['zone']> =>
  new Set(fresh.filter(({ error }) => error?.class === 'OutOfResources').map(({ zone }) => zone));
