import type { FailureClass, LaunchFailure, NodeGroup } from '../model/node-group.ts';
import type { GroupName, InstanceId } from '../model/values/names.ts';
import type { Options } from '../model/options.ts';
import type { Scenario } from '../model/scenario.ts';
import type { Backoff, State } from '../model/state.ts';
import { entriesOf } from '../model/values/records.ts';
import { addTime, type DurationMs, durationMs, type EpochMs } from '../model/values/time.ts';
import { failuresOf, type GroupCounts } from './counts.ts';

/**
 * The waiting time after a failure: the initial one, doubled by every failure that comes after the last waiting time
 * has ended, up to the longest. A failure during the waiting time prolongs it without doubling.
 *
 * Follows Cluster Autoscaler's utils/backoff/exponential_backoff.go, but for failures that waiting does not mend: a
 * group with a wrong configuration or missing permissions has the longest backoff at once, until it is corrected.
 */
export function backOff(previous: Backoff | undefined, failure: FailureClass, options: Options, now: EpochMs): Backoff {
  const duration = LASTING.includes(failure)
    ? options.maxNodeGroupBackoffDuration
    : nextDuration(previous, options, now);
  return { until: addTime(now, duration), duration, lastFailure: now, class: failure };
}

/** Failures that no waiting mends. */
export const LASTING: readonly FailureClass[] = ['Configuration', 'Authorization'];

/** Entries whose last failure is long past are dropped, and with them the doubled waiting time. */
export const currentBackoff = ({ state, options, now }: Scenario): Map<GroupName, Backoff> =>
  new Map(
    entriesOf(state.backoff).filter(([, { lastFailure }]) => lastFailure + options.nodeGroupBackoffResetTimeout >= now),
  );

function nextDuration(previous: Backoff | undefined, options: Options, now: EpochMs): DurationMs {
  if (previous === undefined || addTime(previous.lastFailure, options.nodeGroupBackoffResetTimeout) < now) {
    return options.initialNodeGroupBackoffDuration;
  }
  if (previous.until >= now) {
    return previous.duration;
  }
  return durationMs(Math.min(previous.duration * 2, options.maxNodeGroupBackoffDuration));
}

/**
 * The groups that no waiting mends: they are set up wrongly, or may not be used.
 *
 * @param before what was persisted, `after` what is decided now.
 */
export const lastingFailures = (before: State['backoff'], after: State['backoff'], now: EpochMs) =>
  entriesOf(after)
    .filter(([, { class: failure, until }]) => LASTING.includes(failure) && until > now)
    .map(([group, backoff]) => ({
      ...backoff,
      group,
      isNew: before[group]?.lastFailure !== backoff.lastFailure,
    }));

/** A failed launch of each group that has failed since: the cloud gives the launches of one request the same message. */
export const newFailures = (before: State['backoff'], after: State['backoff'], groups: readonly NodeGroup[]) =>
  groups
    .filter(({ name }) => after[name]?.lastFailure !== before[name]?.lastFailure)
    .flatMap(({ name: group, launchFailures }) => launchFailures.slice(0, 1).map((one) => ({ ...one, group })));

/** Failures of one group that no evaluation has acted on before. */
interface LaunchErrors {
  readonly fresh: readonly LaunchFailure[];
  /** The class of failure to back off for; `null`: nothing new. */
  readonly class: FailureClass | null;
}

/**
 * Errors that no evaluation has acted on before. Follows `handleInstanceCreationErrors` of Cluster Autoscaler's
 * clusterstate.go, which compares with the loop before; here what was seen is state.
 */
export function freshErrors(counts: GroupCounts, seen: readonly InstanceId[] = []): LaunchErrors {
  const fresh = failuresOf(counts).filter(({ id }) => !seen.includes(id));
  const classes = fresh.map((failure) => failure.class);
  // A class of failure that does not go away by waiting decides the length of the backoff.
  return { fresh, class: LASTING.find((lasting) => classes.includes(lasting)) ?? classes[0] ?? null };
}

/** Zones in which the cloud has no capacity; `null` among them: a failure without a zone. */
export const zonesWithoutCapacity = ({ fresh }: LaunchErrors): ReadonlySet<LaunchFailure['zone']> =>
  new Set(fresh.filter((failure) => failure.class === 'OutOfResources').map(({ zone }) => zone));
