import { randomUUID } from 'node:crypto';
import { systemClock } from '../functions/shared/clock.ts';
import type { CommonServices } from '../functions/shared/services.ts';
import type { QueueTime } from '@outrigger/providers/memory/fifo-queue.ts';

/** The time of a runtime: real, or that of a simulation. */
export interface RuntimeClock extends Pick<CommonServices, 'now' | 'sleep'> {
  /** Calls `run` after `ms` milliseconds. */
  readonly after: (ms: number, run: () => void) => { readonly cancel: () => void };
  /** Runs work in the background; the work handles its own errors. */
  readonly start: (work: () => Promise<void>) => void;
  /** A signal that is aborted after `ms` milliseconds. */
  readonly limit: (ms: number) => AbortSignal;
}

/** Real time. */
export interface RealClock extends RuntimeClock {
  /** Resolves when all started work has ended, including work that it started itself. */
  readonly settled: () => Promise<void>;
}

export function createRealClock(): RealClock {
  const running = new Set<Promise<void>>();
  return {
    ...systemClock,
    after: (ms, run) => {
      const timer = setTimeout(run, ms);
      return { cancel: () => clearTimeout(timer) };
    },
    start: (work) => {
      const run = work().finally(() => running.delete(run));
      running.add(run);
    },
    limit: (ms) => AbortSignal.timeout(ms),
    settled: async () => {
      while (running.size > 0) {
        await Promise.allSettled(running);
      }
    },
  };
}

/** A queue's time on a real clock: messages are delivered at once, without the delays of a network. */
export const realQueueTime = ({ now, after }: Pick<RuntimeClock, 'now' | 'after'>): QueueTime => ({
  now,
  after,
  attend: () => undefined,
  delivery: () => 0,
  newId: () => randomUUID(),
});

/** The wait of Lambda after a number of failed attempts, in milliseconds: a second, each time twice as long, up to the longest. */
export const backoffMs = (attempts: number, longest: number): number => Math.min(longest, 1_000 * 2 ** attempts);
