import { Cron } from 'croner';
import { err, ok, type Result } from './result.ts';
import { type WallTime, wallTime } from './time-zone.ts';
import { mapOptional } from './optional.ts';

/** A cron expression, on the clock of whatever time zone it is asked in. */
export interface CronExpression {
  /** The latest time at or before `at` that the expression names; `null` where there is none. */
  readonly latest: (at: WallTime) => WallTime | null;
}

/** A field is a list of values, ranges and steps. The library takes more (`L`, `15W`, `5#3`), which Karpenter's does not. */
const field = (names: string): string => {
  const value = `(?:\\d{1,2}${names})`;
  const item = `(?:[*?]|${value}(?:-${value})?)(?:/\\d{1,2})?`;
  return `${item}(?:,${item})*`;
};
const MONTHS = '|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec';
const DAYS = '|sun|mon|tue|wed|thu|fri|sat';
const FIELDS = new RegExp(`^${[field(''), field(''), field(''), field(MONTHS), field(DAYS)].join(' ')}$`, 'i');
const NICKNAME = /^@(?:yearly|annually|monthly|weekly|daily|midnight|hourly)$/i;
/** Longer expressions are refused: a list of every minute of the hour has 169 characters. */
const LONGEST_TEXT = 256;

const EXPECTED =
  'a cron expression of five fields such as 0 22 * * 1-5 (minute, hour, day of the month, month, day of the week), or @daily';

/**
 * Reads a cron expression: minute, hour, day of the month, month, day of the week, or `@yearly`, `@annually`, `@monthly`,
 * `@weekly`, `@daily`, `@midnight` or `@hourly`. Where both days are restricted, either of them is enough, as in Vixie
 * cron and in robfig/cron, which Karpenter uses.
 *
 * @returns the expression, or what was expected instead of the text.
 */
export function parseCron(text: string): Result<CronExpression, string> {
  if (text.length > LONGEST_TEXT || !(FIELDS.test(text) || NICKNAME.test(text))) {
    return err(EXPECTED);
  }
  let cron: Cron;
  try {
    // In UTC every day is alike, so that times on the wall clock of any zone can be written as times in UTC.
    cron = new Cron(text, { timezone: 'UTC', mode: '5-part', sloppyRanges: true });
  } catch (error) {
    // For an expression, the library throws only exceptions that name the error in the expression.
    return err(`${EXPECTED} (${(error as Error).message.replace('CronPattern: ', '')})`);
  }
  if (cron.nextRun(new Date(Date.UTC(2000, 0, 1))) === null) {
    return err('a cron expression of days that there are: this one names none');
  }
  return ok({
    latest: (at) => {
      // The times before the reference, whole minutes: the next one makes `at` itself count.
      const [run] = cron.previousRuns(1, new Date(Math.floor(at / 60_000) * 60_000 + 60_000));
      return mapOptional(run, (time) => wallTime(time.getTime())) ?? null;
    },
  });
}
