import { type EpochMs, addTime, minutes } from '@outrigger/core/model/values/time.ts';

/** Reports a problem to the operator. */
export type Warn = (message: string) => void;

const PAUSE = minutes(60);

/**
 * Reports a warning unless one about the same subject was reported recently.
 *
 * @param about the subject of the warning; a cloud's messages for the same problem differ from call to call.
 */
export type HourlyWarn = (about: string, message: string) => void;

/** Reports each subject once an hour, since every evaluation finds the same problems. */
export function createHourlyWarnings(warn: Warn, now: () => EpochMs): HourlyWarn {
  const silentUntil = new Map<string, EpochMs>();
  return (about, message) => {
    const time = now();
    for (const [said, until] of silentUntil) {
      if (until <= time) {
        silentUntil.delete(said);
      }
    }
    if (!silentUntil.has(about)) {
      silentUntil.set(about, addTime(time, PAUSE));
      warn(message);
    }
  };
}
