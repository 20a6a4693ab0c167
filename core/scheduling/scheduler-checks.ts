import type { DurationMs } from '../model/values/time.ts';

/**
 * Scheduler checks (one kind of pod against one node) per millisecond of an option that limits how long something is
 * simulated. Checks are counted, not timed, so that equal input gives equal output.
 */
export const SCHEDULER_CHECKS_PER_MS = 100;

/** The budget of scheduler checks for a simulation of this duration; 0 is no limit. */
export const schedulerChecksIn = (duration: DurationMs): number =>
  duration === 0 ? Number.POSITIVE_INFINITY : duration * SCHEDULER_CHECKS_PER_MS;
