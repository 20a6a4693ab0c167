/** The network between the functions: the latency of messages, and whether they arrive. */
export interface FunctionNetwork {
  /** From a function to the queue, in milliseconds. */
  readonly sendMs: () => number;
  /** From a call, a stream's record or a request to the function's start, in milliseconds. */
  readonly invocationMs: () => number;
  /** From an event of AWS, through EventBridge, to the delivery, in milliseconds. */
  readonly eventBusMs: () => number;
  /**
   * Carries a message: calls `deliver` once, unless the network loses, repeats or delays it.
   *
   * @param label the name of the message, for logs
   */
  readonly carry: (label: string, deliver: () => void) => void;
}

/** Inside one process: every message arrives at once. */
export const IN_PROCESS: FunctionNetwork = {
  sendMs: () => 0,
  invocationMs: () => 0,
  eventBusMs: () => 0,
  carry: (_, deliver) => deliver(),
};
