import TinyQueue from 'tinyqueue';
import { type EpochMs, epochMs } from '@outrigger/core/model/values/time.ts';

/** A scheduled action. */
export interface Timer {
  readonly cancel: () => void;
}

export interface RunOptions {
  /** Checked after each action; true ends the run. */
  readonly done: () => boolean;
  /** The run ends here at the latest, with the clock at this time. */
  readonly until: EpochMs;
}

/**
 * Virtual time. It advances only when no action is left at the present time, and then jumps to the next one that is
 * due; actions that are due at the same time run in the order in which they were scheduled.
 */
export interface Clock {
  readonly now: () => EpochMs;
  /** @param time not before now. */
  readonly at: (time: EpochMs, run: () => void) => Timer;
  readonly after: (ms: number, run: () => void) => Timer;
  /** Resolves after a number of milliseconds of virtual time; rejects when the signal is aborted before. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /**
   * Runs asynchronous work: time does not advance while it computes, and advances while it sleeps on this clock. An
   * unhandled failure of the work ends the run.
   */
  readonly start: (work: () => Promise<void>) => void;
  /** Runs actions until `done` returns true, `until` is reached, or none is left. */
  readonly run: (options: RunOptions) => Promise<void>;
}

interface Due {
  readonly time: number;
  readonly order: number;
  readonly run: () => void;
  cancelled: boolean;
}

export function createClock(start: EpochMs): Clock {
  const agenda = createAgenda(start);
  const work = createWork();
  return {
    now: agenda.now,
    at: agenda.at,
    after: agenda.after,
    sleep: (ms, signal) => sleepOn(agenda, ms, signal),
    start: work.start,
    run: async ({ done, until }) => {
      await work.settle();
      while (!done() && agenda.runNext(until)) {
        await work.settle();
      }
    },
  };
}

interface Agenda extends Pick<Clock, 'now' | 'at' | 'after'> {
  /**
   * Moves the time to the next thing that is due and makes it happen.
   *
   * @returns false where nothing is due up to `until`; the time is `until` then, or stays where nothing is due at all.
   */
  readonly runNext: (until: EpochMs) => boolean;
}

/** The time, and what is to happen when. */
function createAgenda(start: EpochMs): Agenda {
  const due = new TinyQueue<Due>([], (a, b) => a.time - b.time || a.order - b.order);
  let now = start;
  let order = 0;
  const at = (time: EpochMs, run: () => void): Timer => {
    if (!(time >= now)) {
      throw new Error(`simulation: something is asked for at ${time}, but it is ${now} already`);
    }
    const item: Due = { time, order: order++, run, cancelled: false };
    due.push(item);
    return {
      cancel: () => {
        item.cancelled = true;
      },
    };
  };
  return {
    now: () => now,
    at,
    after: (ms, run) => at(epochMs(now + Math.round(ms)), run),
    runNext: (until) => {
      let next = due.peek();
      for (; next?.cancelled === true && next.time <= until; next = due.peek()) {
        due.pop();
      }
      if (next === undefined || next.time > until) {
        now = epochMs(Math.max(now, Math.min(until, next?.time ?? now)));
        return false;
      }
      due.pop();
      now = epochMs(next.time);
      next.run();
      return true;
    },
  };
}

/** Asynchronous work that takes part in virtual time. */
interface Work extends Pick<Clock, 'start'> {
  /** Resolves when all work sleeps on the clock or has ended; rejects with the failure of work that has failed. */
  readonly settle: () => Promise<void>;
}

function createWork(): Work {
  let working = 0;
  let failure: { readonly error: unknown } | null = null;
  return {
    start: (work) => {
      working += 1;
      work()
        .catch((error: unknown) => {
          failure ??= { error };
        })
        .finally(() => {
          working -= 1;
        });
    },
    settle: async () => {
      // Work that does not sleep goes on in microtasks, and all of those are done before the next immediate.
      if (working > 0) {
        await new Promise(setImmediate);
      }
      if (failure !== null) {
        throw failure.error;
      }
    },
  };
}

const sleepOn = ({ after }: Agenda, ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason as Error);
      return;
    }
    const onAbort = (): void => {
      timer.cancel();
      reject(signal!.reason as Error);
    };
    const timer = after(ms, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
