import type { DurationMs } from './time.ts';

/**
 * What one millisecond of simulating allows: so many looks at a node for a pod. Options that limit how long something is
 * simulated are counted, not timed, so that equal input gives equal output.
 */
export const LOOKS_PER_MS = 100;

/** How many looks so long a simulation may take, where 0 is no limit. */
export const looksIn = (duration: DurationMs): number =>
  duration === 0 ? Number.POSITIVE_INFINITY : duration * LOOKS_PER_MS;
