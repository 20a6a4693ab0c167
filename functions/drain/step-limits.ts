/** Limits of one step of a drain. */
export interface StepLimits {
  /** Milliseconds. The longer, the later is a dead driver found out. */
  readonly stepMs: number;
  /** Is aborted after this time, in milliseconds. */
  readonly limit: (ms: number) => AbortSignal;
}

/** Time limit of a step on AWS; no longer than `ANSWER_LIMIT` (core/drain), and the function's timeout is longer. */
export const STEP_MS = 40_000;
