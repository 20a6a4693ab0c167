import { parseCron } from './values/cron.ts';
import { rememberedOf } from './values/remembered.ts';
import { err, ok, type Result } from './values/result.ts';
import { type DurationMs, type EpochMs, formatDuration } from './values/time.ts';
import { addWallTime, formatWallTime, type WallTime, wallTimeAt } from './values/time-zone.ts';

/** Something that recurs on the clock of a time zone. */
export interface Schedule {
  /** When it begins (`values/cron.ts`). */
  readonly cron: string;
  /** How long it lasts. */
  readonly duration: DurationMs;
  /** Name in the IANA database. */
  readonly timeZone: string;
}

/** As `from 0 22 * * 1-5 for 8h in Europe/Berlin`. */
export const scheduleText = ({ cron, duration, timeZone }: Schedule): string =>
  `from ${cron} for ${formatDuration(duration)}${timeZone === 'UTC' ? '' : ` in ${timeZone}`}`;

/** A schedule that is in force. */
export interface InForce {
  /** When it ends, on the clock of its time zone (`2026-03-29 06:00`); `null` where no end is in sight. */
  readonly until: string | null;
}

const expressionOf = rememberedOf(({ cron }: Schedule) => parseCron(cron));

/** How many times in a row are looked at: those of a month where a schedule begins again each day. */
const IN_SIGHT = 32;

/**
 * Is a schedule in force? A schedule is in force from each time that the cron expression names, by the clock in its
 * time zone, until the duration later. So 22:00 for 8 hours is until 06:00 on every day of the year. When clocks are
 * put forward, times that begin in a skipped hour count only if they reach beyond it; when clocks are put back, a
 * schedule is in force both times that clocks show a time.
 *
 * Karpenter, whose schedules are in UTC, where clocks are never changed, counts the same.
 *
 * @returns the end of the time in force, `null` where the schedule is not in force, or why this is unknown.
 */
export function inForceAt(schedule: Schedule, now: EpochMs): Result<InForce | null, string> {
  const { cron, duration, timeZone } = schedule;
  const wall = wallTimeAt(now, timeZone);
  if (wall === null) {
    return err(`the time zone ${timeZone} is not known here`);
  }
  const expression = expressionOf(schedule);
  if (!expression.ok) {
    return err(`its schedule ${JSON.stringify(cron)} cannot be read`);
  }
  const { latest } = expression.value;
  const begun = latest(wall);
  if (begun === null || wall >= addWallTime(begun, duration)) {
    return ok(null);
  }
  return ok({ until: endOf(latest, begun, duration) });
}

/** When it ends that has begun at a time: a new one may begin before, or in the moment. */
function endOf(latest: (at: WallTime) => WallTime | null, begun: WallTime, duration: DurationMs): string | null {
  let last = begun;
  for (let n = 0; n < IN_SIGHT; n += 1) {
    const end = addWallTime(last, duration);
    const again = latest(end);
    if (again === null || again <= last) {
      return formatWallTime(end);
    }
    last = again;
  }
  return null;
}
