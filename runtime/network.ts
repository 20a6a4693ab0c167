/** What lies between the functions: how long messages take, and whether they arrive. */
export interface Network {
  /** From a function to the queue, in milliseconds. */
  readonly sendMs: () => number;
  /** From a call, a stream's record or a request to the function's start, in milliseconds. */
  readonly invocationMs: () => number;
  /** From something that AWS reports, through EventBridge, to the delivery, in milliseconds. */
  readonly eventBusMs: () => number;
  /**
   * Carries a message: calls `deliver` once, unless the network loses, repeats or delays it.
   *
   * @param label what the message is
   */
  readonly carry: (label: string, deliver: () => void) => void;
}

/** Inside one process: everything arrives, at once. */
export const IN_PROCESS: Network = {
  sendMs: () => 0,
  invocationMs: () => 0,
  eventBusMs: () => 0,
  carry: (_, deliver) => deliver(),
};
