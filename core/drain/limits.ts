import type { Options } from '../model/options.ts';
import { type DurationMs, durationMs, minutes, seconds } from '../model/values/time.ts';

/** The shortest time between two steps. */
export const SHORTEST_WAIT = seconds(1);

/**
 * How long to wait before something is observed again that takes its time: a fifth of the time that it has taken so far,
 * between 2 and 15 seconds. What is quick is seen quickly, and what takes minutes costs few calls.
 */
export const pollAfter = (age: number): DurationMs =>
  durationMs(Math.min(Math.max(Math.floor(age / 5), seconds(2)), seconds(15)));

/** A step that comes later than this was kept up: by a driver that died, or a cluster that could not be read. */
export const LATE = seconds(30);

/** A node that cannot be tainted by then stays. */
export const TAINTING_LIMIT = minutes(1);
/** From the end of `nodeDeleteDelayAfterTaint`: the facts must have been checked again by then. */
export const VALIDATING_LIMIT = minutes(2);
/** A cloud that has not agreed by then has not. */
export const TERMINATING_LIMIT = minutes(5);
/**
 * From the decision to the first eviction, besides `nodeDeleteDelayAfterTaint`. It is not known whether a node that was not
 * needed so long ago can still be spared; time in which no step could be made counts, unlike for the other limits.
 */
export const DECISION_LIMIT = minutes(5);
/** The cloud has agreed, and its list must show it by then. */
export const AWAITING_TERMINATION_LIMIT = minutes(5);

/** A PodDisruptionBudget that refuses, and says nothing about when to come again, is asked as often as this. */
export const REFUSAL_WAIT = seconds(10);
/** The API server is too busy: the wait doubles from the first to the second. */
export const THROTTLE_WAIT = { first: seconds(1), longest: seconds(30) };
/** How far throttling may put off the end of `maxPodEvictionTime`, for one pod. */
export const THROTTLE_ALLOWANCE = minutes(5);
/** A pod may take so much longer than its grace period to be gone. Cluster Autoscaler's `PodEvictionHeadroom`. */
export const EVICTION_HEADROOM = seconds(30);
/**
 * The longest wait for volumes once their pods are gone. One that is still attached then will be taken from the instance
 * when it has ended, later than it need be: that costs its pod a few minutes, and no data.
 */
export const DETACH_LIMIT = minutes(2);
/** Smaller pods wait so long at most for a pod of a StatefulSet to end: one may take many minutes, and theirs come after that. */
export const STATEFUL_SET_WAIT = minutes(1);
/** DaemonSet pods that have not agreed to go by then go with their instance. */
export const DAEMON_LIMIT = seconds(10);
export const DAEMON_WAIT = seconds(3);

/**
 * An unanswered request may still come true for so long, which is longer than a driver waits for an answer
 * (`functions/drain`).
 */
export const ANSWER_LIMIT = minutes(1);

/**
 * The longest time for the tries, graces and headrooms of all groups of pods, which are evicted one after the other.
 *
 * @param groups number of groups without `drainPriorityConfig`.
 * @param allowance more time for each group, in milliseconds.
 */
export function longestEvictions(options: Options, groups: number, allowance: number): number {
  const { drainPriorityConfig, maxGracefulTerminationSec, maxPodEvictionTime } = options;
  const graces = drainPriorityConfig.map(({ graceSeconds }) => graceSeconds);
  const given = graces.length > 0 ? graces : Array.from({ length: groups }, () => maxGracefulTerminationSec);
  return given.reduce((sum, grace) => sum + maxPodEvictionTime + seconds(grace) + EVICTION_HEADROOM + allowance, 0);
}

/** The longest that all evictions of a node may take: every group's tries, graces and headrooms, and the volumes. */
export const evictingLimit = (options: Options): DurationMs =>
  // Without priorities: pods that are not critical, critical ones, and DaemonSets of both sorts.
  durationMs(longestEvictions(options, 4, THROTTLE_ALLOWANCE) + DETACH_LIMIT);

/** A drain that could not be observed for so long is taken back, whatever the reason: others may have its place. */
export const UNSEEN_LIMIT = minutes(15);
/** An instance whose end was asked for, and that is still not seen to end, is not going to. */
export const ENDING_LIMIT = minutes(30);
/** The time that dead drivers and outages may add to a drain, all in all. */
const LOST_ALLOWANCE = minutes(15);

/**
 * The longest that a drain may take from its decision, with all that may go wrong: the limits of all phases, and
 * `LOST_ALLOWANCE`. 1h42m with default options.
 */
export const longestDrain = (options: Options): DurationMs =>
  durationMs(
    TAINTING_LIMIT +
      options.nodeDeleteDelayAfterTaint +
      VALIDATING_LIMIT +
      evictingLimit(options) +
      options.nodeDeletionDelayTimeout +
      TERMINATING_LIMIT +
      AWAITING_TERMINATION_LIMIT +
      LOST_ALLOWANCE,
  );
