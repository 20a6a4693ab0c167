/** The most deliveries of a wake-up: when the last one fails it is given up, and goes to the dead letters. */
export const MOST_DELIVERIES = 5;

/** The most seconds between two deliveries of a wake-up whose evaluation fails. */
const MAX_SECONDS = 60;

/** A failed wake-up is delivered again after 2 s, 4 s, 8 s … */
export const secondsToRedelivery = (received: number): number => Math.min(2 ** received, MAX_SECONDS);
