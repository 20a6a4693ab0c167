import type { EpochMs } from '../../core/model/values/time.ts';

/** What something was like, for as long as somebody may ask. */
export interface History<T> {
  /** It is like this from now on. */
  readonly note: (value: T) => void;
  /** What it was like so many milliseconds ago; its beginning when there was nothing yet. */
  readonly ago: (ms: number) => T;
}

/** @param keep in milliseconds: nobody asks about earlier times. */
export function createHistory<T>(now: () => EpochMs, keep: number, beginning: T): History<T> {
  const entries: { at: number; value: T }[] = [{ at: Number.NEGATIVE_INFINITY, value: beginning }];
  return {
    note: (value) => {
      const at = now();
      const last = entries.at(-1)!;
      if (last.at === at) {
        last.value = value;
        return;
      }
      entries.push({ at, value });
      // The newest of those that are too old still says what it was like at the earliest time that is asked about.
      while (entries.length > 1 && entries[1]!.at <= at - keep) {
        entries.shift();
      }
    },
    ago: (ms) => entries.findLast(({ at }) => at <= now() - ms)?.value ?? entries[0]!.value,
  };
}
