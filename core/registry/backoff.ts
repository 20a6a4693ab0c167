import type { FailureClass } from '../model/node-group.ts';
import type { Options } from '../model/options.ts';
import type { Backoff } from '../model/state.ts';
import { addTime, type DurationMs, type EpochMs } from '../model/time.ts';

/**
 * The waiting time after a failure: the initial one, doubled by every failure that comes after the last waiting time
 * has ended, up to the longest. A failure during the waiting time prolongs it without doubling.
 *
 * Follows Cluster Autoscaler's utils/backoff/exponential_backoff.go.
 */
export function backOff(previous: Backoff | null, failure: FailureClass, options: Options, now: EpochMs): Backoff {
  const duration = nextDuration(previous, options, now);
  return { until: addTime(now, duration), duration, lastFailure: now, class: failure };
}

function nextDuration(previous: Backoff | null, options: Options, now: EpochMs): DurationMs {
  if (previous === null || addTime(previous.lastFailure, options.nodeGroupBackoffResetTimeout) < now) {
    return options.initialNodeGroupBackoffDuration;
  }
  return previous.until < now
    ? (Math.min(previous.duration * 2, options.maxNodeGroupBackoffDuration) as DurationMs)
    : previous.duration;
}
