import type { FailureClass } from '../model/node-group.ts';
import type { GroupName } from '../model/values/names.ts';
import type { Options } from '../model/options.ts';
import type { Scenario } from '../model/scenario.ts';
import type { Backoff } from '../model/state.ts';
import { addTime, type DurationMs, type EpochMs } from '../model/values/time.ts';

/**
 * The waiting time after a failure: the initial one, doubled by every failure that comes after the last waiting time
 * has ended, up to the longest. A failure during the waiting time prolongs it without doubling.
 *
 * Follows Cluster Autoscaler's utils/backoff/exponential_backoff.go, but for failures that waiting does not mend: a
 * group with a wrong configuration or missing permissions has the longest backoff at once, until it is corrected.
 */
export function backOff(previous: Backoff | null, failure: FailureClass, options: Options, now: EpochMs): Backoff {
  const duration = LASTING.includes(failure)
    ? options.maxNodeGroupBackoffDuration
    : nextDuration(previous, options, now);
  return { until: addTime(now, duration), duration, lastFailure: now, class: failure };
}

/** Failures that no waiting mends. */
export const LASTING: readonly FailureClass[] = ['Configuration', 'Authorization'];

/** Entries whose last failure is long past are dropped, and with them the doubled waiting time. */
export function currentBackoff({ state, options, now }: Scenario): Map<GroupName, Backoff> {
  const entries = Object.entries(state.backoff) as [GroupName, Backoff][];
  return new Map(entries.filter(([, backoff]) => backoff.lastFailure + options.nodeGroupBackoffResetTimeout >= now));
}

function nextDuration(previous: Backoff | null, options: Options, now: EpochMs): DurationMs {
  if (previous === null || addTime(previous.lastFailure, options.nodeGroupBackoffResetTimeout) < now) {
    return options.initialNodeGroupBackoffDuration;
  }
  return previous.until < now
    ? (Math.min(previous.duration * 2, options.maxNodeGroupBackoffDuration) as DurationMs)
    : previous.duration;
}
