import { waitBeforeTry } from '@outrigger/core/actuation/tries.ts';
import type { FailureClass } from '@outrigger/core/model/node-group.ts';
import type { CallFailed } from '@outrigger/core/model/answers.ts';
import type { ActuationRun } from '../shared/services.ts';

/** How an intent ends. */
export interface Outcome {
  readonly status: 'done' | 'refused' | 'failed';
  /** In words, for people. */
  readonly message: string;
  /** The error of the cloud; `null` when there was none. */
  readonly failure: FailureClass | null;
}

/** The length at which the message of an ended intent is cut, Cluster Autoscaler's: AWS' can be larger than an item. */
export const LONGEST_OUTCOME = 500;

export const done = (message: string): Outcome => ({ status: 'done', message, failure: null });

export const refused = (message: string): Outcome => ({ status: 'refused', message, failure: null });

export const failed = ({ class: failure, code, message }: CallFailed): Outcome => ({
  status: 'failed',
  message: `${code}: ${message}`,
  failure,
});

/**
 * Tries again while the cloud throttles, or fails in a way that does not say whether the call has taken effect. Each
 * try must read the present state: the present state shows what an earlier try has done.
 *
 * @param what is tried, for the error: `setting the size of web to 3`.
 * @throws Error when every try is throttled: the intent stays pending.
 */
export async function persistently<T>(
  { services, signal }: Pick<ActuationRun, 'services' | 'signal'>,
  what: string,
  attempt: () => Promise<T | CallFailed>,
): Promise<T | CallFailed> {
  for (let tries = 0; ; tries += 1) {
    const outcome = await attempt();
    if (!isFailure(outcome)) {
      return outcome;
    }
    const wait = waitBeforeTry(outcome, tries);
    if (wait === null && outcome.class === 'Throttled') {
      throw new Error(`${what} is throttled (${outcome.code}: ${outcome.message}); it stays pending`);
    }
    if (wait === null) {
      return outcome;
    }
    await services.sleep(wait, signal);
  }
}

const isFailure = (outcome: unknown): outcome is CallFailed => (outcome as Partial<CallFailed>).kind === 'failed';
