import type { RuntimeClock } from './clock.ts';

/** A schedule of EventBridge. */
interface TimerSchedule {
  readonly everyMs: number;
  readonly fire: () => void;
}

/** Schedules that are running. */
export interface Timers {
  /** Stops all schedules. */
  readonly stop: () => void;
}

/**
 * Starts schedules, in the given order when several are due at the same time.
 *
 * @param atOnce whether each schedule also fires at once, before its first interval
 */
export function startTimers(
  clock: Pick<RuntimeClock, 'after'>,
  schedules: readonly TimerSchedule[],
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
