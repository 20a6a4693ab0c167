import { type EpochMs, addTime, minutes } from '../../core/model/time.ts';

/** Says something to whoever runs this. */
export type Warn = (message: string) => void;

const PAUSE = minutes(60);

/** Says each thing once an hour, however often it is found: at every look the same groups have the same troubles. */
export function createHourlyWarnings(warn: Warn, now: () => EpochMs): Warn {
  const silentUntil = new Map<string, EpochMs>();
  return (message) => {
    const time = now();
    for (const [said, until] of silentUntil) {
      if (until <= time) {
        silentUntil.delete(said);
      }
    }
    if (!silentUntil.has(message)) {
      silentUntil.set(message, addTime(time, PAUSE));
      warn(message);
    }
  };
}
