import type { CommonServices, Work } from '../functions/shared/world.ts';
import type { RuntimeClock } from './clock.ts';
import type { FunctionName, InProcessFunction, OnDecision } from './functions.ts';
import type { FunctionWorld } from './world.ts';

/** Invokes a function; rejects as the function does. */
export type Invoke = <Event, Result>(target: InProcessFunction<Event, Result>, event: Event) => Promise<Result>;

/** The world of an invocation: with its own log, or its own clock. */
export type WorldFor = (own: Partial<Pick<CommonServices, 'now' | 'log'>>) => FunctionWorld;

/** Makes the invoker of functions from the maker of their world. */
export type Invocations = (worldFor: WorldFor) => Invoke;

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
  return (worldFor) => {
    const world = worldFor({});
    const handlers = new Map<InProcessFunction<never, unknown>, Work<never, unknown>>();
    return async <Event, Result>(target: InProcessFunction<Event, Result>, event: Event): Promise<Result> => {
      const handler = (handlers.get(target) ?? target.create(world, onDecision)) as Work<Event, Result>;
      handlers.set(target, handler);
      const limit = new AbortController();
      const ms = timeoutMs(target.name);
      const timer =
        ms === null ? null : clock.after(ms, () => limit.abort(new Error(`the function has run for ${ms / 1_000} s`)));
      const signal = stop === undefined ? limit.signal : AbortSignal.any([limit.signal, stop(target.name)]);
      try {
        return await handler(event, { signal });
      } finally {
        timer?.cancel();
      }
    };
  };
}
