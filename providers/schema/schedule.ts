import * as z from 'zod';
import type { Schedule } from '@outrigger/core/model/schedule.ts';
import { parseCron } from '@outrigger/core/model/values/cron.ts';
import { parseTimeZone } from '@outrigger/core/model/values/time-zone.ts';
import { type DurationMs, formatDuration, minutes, parseDuration } from '@outrigger/core/model/values/time.ts';
import { refuse } from './read.ts';

/** A text that a parser of the core reads. */
const parsed = (parse: typeof parseCron | typeof parseTimeZone, expected: string) =>
  z.string(expected).check((payload) => {
    const read = parse(payload.value);
    if (!read.ok) {
      payload.issues.push({ code: 'custom', message: read.error, input: payload.value });
    }
  });

const cron = parsed(parseCron, 'a cron expression such as 0 22 * * 1-5').describe(
  'When it begins: a cron expression of five fields, or @daily and the like.',
);

const timeZone = parsed(parseTimeZone, 'a time zone such as Europe/Berlin')
  .overwrite((name) => {
    const read = parseTimeZone(name);
    return read.ok ? read.value : name;
  })
  .describe('Time zone of the cron expression, by its name in the IANA database.')
  .meta({ default: 'UTC' });

/** Schedules of a year are no schedules. */
const LONGEST = minutes(366 * 24 * 60);
const A_LENGTH = 'a duration from 1m to 8784h such as 8h or 1h30m';

const duration = z
  .codec(z.string(A_LENGTH).meta({ examples: ['8h', '1h30m'] }), z.custom<DurationMs>(), {
    decode: (text, ctx) => {
      const read = parseDuration(text);
      return read.ok && read.value >= minutes(1) && read.value <= LONGEST ? read.value : refuse(ctx, A_LENGTH);
    },
    encode: formatDuration,
  })
  .describe('How long it lasts, on the clock of the time zone.');

/** Fields of something that is in force by a schedule. */
export const SCHEDULE_FIELDS = {
  schedule: cron.optional(),
  duration: duration.optional(),
  timeZone: timeZone.optional(),
};

export interface ScheduleFields {
  readonly schedule?: string | undefined;
  readonly duration?: DurationMs | undefined;
  readonly timeZone?: string | undefined;
}

/** The schedule of these fields, `null` for none, or the name of a missing field. */
export function scheduleOf({ schedule, duration: length, timeZone: zone }: ScheduleFields): Schedule | null | string {
  if (schedule === undefined) {
    return length === undefined && zone === undefined ? null : 'schedule with duration and timeZone';
  }
  if (length === undefined) {
    return 'duration with schedule: how long it lasts';
  }
  return { cron: schedule, duration: length, timeZone: zone ?? 'UTC' };
}

/** The fields of a schedule; UTC goes without saying. */
export const scheduleFields = (schedule: Schedule | null): ScheduleFields => ({
  schedule: schedule?.cron,
  duration: schedule?.duration,
  timeZone: schedule?.timeZone === 'UTC' ? undefined : schedule?.timeZone,
});
