/** So long may a change check take, in milliseconds. */
const LONGEST = 3_000;

/** A signal for a change check: it is not worth more time, which the reading after it needs. */
export const withShortTimeout = (signal: AbortSignal | undefined): AbortSignal =>
  AbortSignal.any([signal, AbortSignal.timeout(LONGEST)].filter((one) => one !== undefined));
