import type { RuntimeClock } from '../../runtime/clock.ts';
import type { Clock } from '../clock.ts';

/** The virtual time of a simulation. */
export const virtualClock = (clock: Clock): RuntimeClock => ({
  ...clock,
  limit: (ms) => {
    const controller = new AbortController();
    clock.after(ms, () => controller.abort(new Error(`${ms / 1_000} s have passed`)));
    return controller.signal;
  },
});
