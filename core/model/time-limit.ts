/**
 * Ends the work of an evaluation by the clock, as a last resort behind the limits and budgets that are counted. The core has no clock:
 * the caller reads it. A time that is up stays up.
 */
export interface TimeLimit {
  readonly isUp: () => boolean;
}

/** Equal scenarios give equal decisions. */
export const NO_TIME_LIMIT: TimeLimit = Object.freeze({ isUp: () => false });
