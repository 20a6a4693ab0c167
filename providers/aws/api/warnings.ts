import { type EpochMs, addTime, minutes } from '../../../core/model/values/time.ts';

/** Says something to whoever runs this. */
export type Warn = (message: string) => void;

const PAUSE = minutes(60);

/**
 * Gives warnings with a pause.
 *
 * @param about what the warning is about: AWS words the same trouble in ever new ways.
 */
export type HourlyWarn = (about: string, message: string) => void;

/** Says one thing about each matter an hour, however often it is found: at every look the same troubles are there. */
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
