import type { RuntimeClock } from './clock.ts';

/** A schedule of EventBridge. */
interface TimerSchedule {
  readonly everyMs: number;
  readonly fire: () => void;
}

/**
 * Starts schedules, in the given order when several are due at the same time.
 *
 * @param atOnce whether each schedule also fires at once, before its first interval
 * @returns stops all schedules
 */
export function startTimers(
  clock: Pick<RuntimeClock, 'after'>,
  schedules: readonly TimerSchedule[],
  atOnce: boolean,
): () => void {
  const stops = schedules.map(({ everyMs, fire }) => {
    const next = (): { readonly cancel: () => void } =>
      clock.after(everyMs, () => {
        fire();
        timer = next();
      });
    let timer = next();
    return () => timer.cancel();
  });
  if (atOnce) {
    schedules.forEach(({ fire }) => fire());
  }
  return () => stops.forEach((stop) => stop());
}
