import type { FailureClass } from '../../core/model/node-group.ts';
import type { CallFailed } from '../../core/model/ports.ts';
import type { World } from '../shared/world.ts';

/** How an intent ends. */
export interface Outcome {
  readonly status: 'done' | 'refused' | 'failed';
  /** In words, for people. */
  readonly message: string;
  /** What the cloud complained of; `null` when it did not. */
  readonly failure: FailureClass | null;
}

export const refused = (message: string): Outcome => ({ status: 'refused', message, failure: null });

export const failed = ({ class: failure, code, message }: CallFailed): Outcome => ({
  status: 'failed',
  message: `${code}: ${message}`,
  failure,
});

/** Waiting times between tries while the cloud throttles, in milliseconds. */
const THROTTLE_WAITS_MS = [1_000, 2_000, 4_000, 8_000];

/**
 * Tries, and tries again while the cloud throttles. Each try must look at the world anew.
 *
 * @param what is tried, for the error: `setting the size of web to 3`.
 * @throws Error when it is throttled to the end: what was to be done stays to be done.
 */
export async function unlessThrottled<T>(
  world: World,
  what: string,
  attempt: () => Promise<T | CallFailed>,
  signal: AbortSignal,
): Promise<T | CallFailed> {
  for (let tries = 0; ; tries += 1) {
    const outcome = await attempt();
    const throttled = throttleOf(outcome);
    if (throttled === null) {
      return outcome;
    }
    const wait = THROTTLE_WAITS_MS[tries];
    if (wait === undefined) {
      throw new Error(`${what} is throttled (${throttled.code}: ${throttled.message}); it stays pending`);
    }
    await world.sleep(wait, signal);
  }
}

const throttleOf = (outcome: unknown): CallFailed | null => {
  const failure = outcome as Partial<CallFailed>;
  return failure.kind === 'failed' && failure.class === 'Throttled' ? (failure as CallFailed) : null;
};
