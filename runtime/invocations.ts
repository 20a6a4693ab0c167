import { AsyncLocalStorage } from 'node:async_hooks';
import type { CommonServices, Work } from '../functions/shared/services.ts';
import type { RuntimeClock } from './clock.ts';
import type { FunctionName, InProcessFunction, OnDecision } from './functions.ts';
import { LONGEST_CHAIN, type LambdaRules } from './lambda-rules.ts';
import type { FunctionServices } from './services.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';

/** Invokes a function; rejects as the function does. */
export type Invoke = <Event, Result>(target: InProcessFunction<Event, Result>, event: Event) => Promise<Result>;

/** The account has no concurrency left: Lambda refuses the invocation. */
export class Throttled extends Error {
  constructor(name: FunctionName) {
    super(`${name}: TooManyRequestsException: Rate Exceeded.`);
  }
}

/** Lambda takes a chain of invocations for an endless loop, and stops it. */
export class RecursiveLoop extends Error {
  constructor(name: FunctionName) {
    super(`Lambda has stopped a recursive loop: ${name} would be invocation ${LONGEST_CHAIN + 1} of its chain`);
  }
}

/**
 * Invokes a function as the next one of a chain.
 *
 * @param chain number of the invocations that have led to this one, through SQS or by `Invoke`; 0 where a schedule, a
 *   stream, an event or a call has
 */
export type ChainedInvoke = <Event, Result>(
  target: InProcessFunction<Event, Result>,
  event: Event,
  chain: number,
) => Promise<Result>;

export interface Chains {
  readonly invoke: ChainedInvoke;
  /** Length of the chain of the invocation that calls this; 0 outside of invocations. */
  readonly length: () => number;
}

/** Counts chains of invocations as Lambda does, and stops those that are too long for their function. */
export function chained(rules: LambdaRules, invoke: Invoke): Chains {
  const length = new AsyncLocalStorage<number>();
  return {
    length: () => length.getStore() ?? 0,
    invoke: async (target, event, chain) => {
      if (chain >= LONGEST_CHAIN && !rules[target.name].mayRecur) {
        throw new RecursiveLoop(target.name);
      }
      return await length.run(chain + 1, () => invoke(target, event));
    },
  };
}

/** The services of an invocation: with its own log, or its own clock. */
type ServicesFor = (own: Partial<Pick<CommonServices, 'now' | 'log'>>) => FunctionServices;

/** Makes the invoker of functions from the maker of their services. */
export type Invocations = (servicesFor: ServicesFor) => Invoke;

export interface SandboxOptions {
  readonly clock: Pick<RuntimeClock, 'after'>;
  /** Time limit of an invocation; `null`: none. */
  readonly timeoutMs: (name: FunctionName) => number | null;
  /** Aborts invocations earlier. */
  readonly stop?: (name: FunctionName) => AbortSignal;
  readonly onDecision?: OnDecision;
}

/** A sandbox for each function, used for all its invocations, with a time limit for each invocation. */
export function sandboxes({ clock, timeoutMs, stop, onDecision = () => {} }: SandboxOptions): Invocations {
  return (servicesFor) => {
    const services = servicesFor({});
    const handlers = new Map<InProcessFunction<never, unknown>, Work<never, unknown>>();
    return async <Event, Result>(target: InProcessFunction<Event, Result>, event: Event): Promise<Result> => {
      const handler = (handlers.get(target) ?? target.create(services, onDecision)) as Work<Event, Result>;
      handlers.set(target, handler);
      const limit = new AbortController();
      const timer = mapOptional(timeoutMs(target.name), (ms) =>
        clock.after(ms, () => limit.abort(new Error(`the function has run for ${ms / 1_000} s`))),
      );
      const signal = stop === undefined ? limit.signal : AbortSignal.any([limit.signal, stop(target.name)]);
      try {
        return await handler(event, { signal });
      } finally {
        timer?.cancel();
      }
    };
  };
}
