import type { RuntimeClock } from './clock.ts';

/** One of EventBridge's schedules. */
export interface Schedule {
  readonly everyMs: number;
  readonly fire: () => void;
}

/** Starts schedules. */
export interface Timers {
  /** Nothing fires any more. */
  readonly stop: () => void;
}

/**
 * Starts schedules, in the given order when several are due at the same time.
 *
 * @param atOnce fire each at once as well, and not only after its first interval
 */
export function startTimers(
  clock: Pick<RuntimeClock, 'after'>,
  schedules: readonly Schedule[],
  atOnce: boolean,
): Timers {
  const timers = schedules.map(({ everyMs, fire }) => {
    const next = (): { readonly cancel: () => void } =>
      clock.after(everyMs, () => {
        fire();
        timer = next();
      });
    let timer = next();
    return { stop: () => timer.cancel() };
  });
  if (atOnce) {
    schedules.forEach(({ fire }) => fire());
  }
  return { stop: () => timers.forEach(({ stop }) => stop()) };
}
