import type { Chance, Span } from './chance.ts';
import type { Clock } from './clock.ts';

/** A call of one of the world's services. */
export interface ApiCall {
  readonly service: 'kubernetes' | 'autoscaling';
  readonly operation: string;
}

/** What a call may meet: an error to reject with, or `null`. */
export type Fault = (call: ApiCall) => Error | null;

export interface ApiCalls {
  /** Takes as long as the call takes; rejects with the fault that it meets, or when the signal is aborted. */
  readonly make: (call: ApiCall, signal?: AbortSignal) => Promise<void>;
}

const DURATION: Readonly<Record<ApiCall['service'], Span>> = {
  kubernetes: { min: 8, max: 40 },
  autoscaling: { min: 60, max: 240 },
};

export function createApiCalls(clock: Clock, chance: Chance, fault: Fault): ApiCalls {
  return {
    make: async (call, signal) => {
      await clock.sleep(chance.within(DURATION[call.service]), signal);
      const error = fault(call);
      if (error !== null) {
        throw error;
      }
    },
  };
}
