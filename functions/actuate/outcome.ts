import type { FailureClass } from '../../core/model/node-group.ts';
import type { CallFailed } from '../../core/model/answers.ts';
import type { World } from '../shared/world.ts';

/** How an intent ends. */
export interface Outcome {
  readonly status: 'done' | 'refused' | 'failed';
  /** In words, for people. */
  readonly message: string;
  /** What the cloud complained of; `null` when it did not. */
  readonly failure: FailureClass | null;
}

/**
 * Of the message of an intent that has ended, Cluster Autoscaler's length: one that names thousands of instances, or is AWS'
 * longest, must not exceed the size of a stored item.
 */
export const LONGEST_OUTCOME = 500;

export const refused = (message: string): Outcome => ({ status: 'refused', message, failure: null });

export const failed = ({ class: failure, code, message }: CallFailed): Outcome => ({
  status: 'failed',
  message: `${code}: ${message}`,
  failure,
});

/** Waiting times between tries while the cloud throttles, in milliseconds. */
const THROTTLE_WAITS_MS = [1_000, 2_000, 4_000, 8_000];
/** The same when a call has failed in a way that does not tell: long enough for a description to show its effect. */
const UNCERTAIN_WAITS_MS = [1_000, 3_000, 5_000];

/**
 * Tries, and tries again while the cloud throttles, or fails in a way that does not tell whether the call has taken
 * effect. Each try must look at the world anew: what has been done already is seen there.
 *
 * @param what is tried, for the error: `setting the size of web to 3`.
 * @throws Error when it is throttled to the end: what was to be done stays to be done.
 */
export async function persistently<T>(
  world: World,
  what: string,
  attempt: () => Promise<T | CallFailed>,
  signal: AbortSignal,
): Promise<T | CallFailed> {
  for (let tries = 0; ; tries += 1) {
    const outcome = await attempt();
    const failure = failureOf(outcome);
    if (failure === null || (failure.class !== 'Throttled' && !isUncertain(failure))) {
      return outcome;
    }
    const wait = (failure.class === 'Throttled' ? THROTTLE_WAITS_MS : UNCERTAIN_WAITS_MS)[tries];
    if (wait === undefined && failure.class === 'Throttled') {
      throw new Error(`${what} is throttled (${failure.code}: ${failure.message}); it stays pending`);
    }
    if (wait === undefined) {
      return outcome;
    }
    await world.sleep(wait, signal);
  }
}

/** A call without an answer, or with an unclear one, may have taken effect. */
export const isUncertain = ({ class: failure }: CallFailed): boolean => failure === 'Timeout' || failure === 'Other';

const failureOf = (outcome: unknown): CallFailed | null =>
  (outcome as Partial<CallFailed>).kind === 'failed' ? (outcome as CallFailed) : null;
