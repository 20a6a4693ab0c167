import type { FailureClass } from '../../core/model/node-group.ts';
import type { Chance, Span } from './chance.ts';
import type { Clock } from './clock.ts';

/** A call of one of the world's services. */
export interface ApiCall {
  readonly service: 'kubernetes' | 'autoscaling';
  readonly operation: string;
}

/** What a call may meet: an error to reject with, or `null`. */
export type Fault = (call: ApiCall) => Error | null;

/** An error as a service answers it. */
export class ApiError extends Error {
  readonly class: FailureClass;
  readonly code: string;

  constructor(failure: FailureClass, code: string, message: string) {
    super(`${code}: ${message}`);
    this.name = 'ApiError';
    this.class = failure;
    this.code = code;
  }
}

/** What calls from outside may meet. */
export interface CallFaults {
  /** How much longer than usual the call takes, in milliseconds, before it has any effect. */
  readonly delay: (call: ApiCall) => number;
  /** Met before it has any effect. */
  readonly call: Fault;
  /** Met after it: what was asked for is done, but the caller hears this. */
  readonly answer: Fault;
}

export interface ApiCalls {
  /**
   * Takes as long as the call takes, then has its effect and gives its answer; rejects with the fault that it meets, or
   * when the signal is aborted.
   */
  readonly make: <T>(call: ApiCall, effect: () => T, signal?: AbortSignal) => Promise<T>;
}

const DURATION: Readonly<Record<ApiCall['service'], Span>> = {
  kubernetes: { min: 8, max: 40 },
  autoscaling: { min: 60, max: 240 },
};

export function createApiCalls(clock: Clock, chance: Chance, faults: CallFaults): ApiCalls {
  return {
    make: async (call, effect, signal) => {
      await clock.sleep(chance.within(DURATION[call.service]) + faults.delay(call), signal);
      const error = faults.call(call);
      if (error !== null) {
        throw error;
      }
      const answer = effect();
      const lost = faults.answer(call);
      if (lost !== null) {
        throw lost;
      }
      return answer;
    },
  };
}
