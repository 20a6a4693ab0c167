import type { DrainServices } from '../shared/services.ts';

/** How a drive gets on: what is done once, and what is waited for. Names are distinct and the same in every replay. */
export interface Pace {
  /** Does some work, whose result can be written as JSON, and remembers it where drives are replayed. */
  readonly step: <T>(name: string, work: () => Promise<T>) => Promise<T>;
  readonly wait: (name: string, ms: number) => Promise<void>;
  /** How long one step may take, in milliseconds. The longer, the later is a dead driver found out. */
  readonly stepMs: number;
  /** Is aborted after this time, in milliseconds, by the clock that `wait` goes by. */
  readonly limit: (ms: number) => AbortSignal;
}

/** Time limit of a step on AWS; no longer than `ANSWER_LIMIT` (core/drain), and the function's timeout is longer. */
export const STEP_MS = 40_000;

/** In a process that stays: `outrigger local` and simulations. */
export const inProcess = (
  { sleep }: Pick<DrainServices, 'sleep'>,
  signal?: AbortSignal,
  stepMs: number = STEP_MS,
): Pace => ({
  step: async (_, work) => await work(),
  wait: async (_, ms) => await sleep(ms, signal),
  stepMs: Math.min(stepMs, STEP_MS),
  limit: (ms) => AbortSignal.timeout(ms),
});
