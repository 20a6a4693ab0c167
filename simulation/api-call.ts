import type { FailureClass } from '@outrigger/core/model/node-group.ts';
import type { Chance } from './chance.ts';
import type { Span } from '@outrigger/core/model/values/random.ts';
import type { Clock } from './clock.ts';

/** A call of one of the world's services. */
export interface ApiCall {
  readonly service: 'kubernetes' | 'autoscaling' | 'management';
  readonly operation: string;
}

/** The fault of a call: an error to reject with, or `null`. */
export type CallFault = (call: ApiCall) => Error | null;

/** An error response of a service. */
export class ServiceError extends Error {
  readonly class: FailureClass;
  readonly code: string;

  constructor(failure: FailureClass, code: string, message: string) {
    super(`${code}: ${message}`);
    this.name = 'ApiError';
    this.class = failure;
    this.code = code;
  }
}

/** The faults of calls from outside. */
export interface CallFaults {
  /** Additional latency in milliseconds before the call has any effect. */
  readonly delay: (call: ApiCall) => number;
  /** A fault before the call has any effect. */
  readonly call: CallFault;
  /** A fault after its effect: the change is made, but the caller receives this error. */
  readonly answer: CallFault;
}

export interface ApiCalls {
  /**
   * Waits for the call's latency, then applies its effect and returns its result; rejects with its fault, or when the
   * signal is aborted.
   */
  readonly make: <T>(call: ApiCall, effect: () => T, signal?: AbortSignal) => Promise<T>;
}

const DURATION: Readonly<Record<ApiCall['service'], Span>> = {
  kubernetes: { min: 8, max: 40 },
  autoscaling: { min: 60, max: 240 },
  management: { min: 8, max: 40 },
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
