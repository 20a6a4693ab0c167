import { firstItem, itemAt, lastItem } from '@outrigger/core/model/values/existing.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';

/** Past values, as long as they may be read. */
export interface History<T> {
  /** Sets the value from now on. */
  readonly note: (value: T) => void;
  /** The value a number of milliseconds ago; the first one where there was none yet. */
  readonly ago: (ms: number) => T;
}

/** @param keep in milliseconds: earlier values are not read. */
export function createValueHistory<T>(now: () => EpochMs, keep: number, beginning: T): History<T> {
  const entries: { at: number; value: T }[] = [{ at: Number.NEGATIVE_INFINITY, value: beginning }];
  return {
    note: (value) => {
      const at = now();
      const last = lastItem(entries);
      if (last.at === at) {
        last.value = value;
        return;
      }
      entries.push({ at, value });
      // The newest of the expired values is still the value at the earliest time that is read.
      while (entries.length > 1 && itemAt(entries, 1).at <= at - keep) {
        entries.shift();
      }
    },
    ago: (ms) => entries.findLast(({ at }) => at <= now() - ms)?.value ?? firstItem(entries).value,
  };
}
