import { type Command, InvalidArgumentError, Option } from 'commander';
import { type EpochMs, epochMs, parseDuration, parseTime } from '@outrigger/core/model/values/time.ts';

/** A time that was given: as such, or as how long ago it is. */
export type Moment = (now: EpochMs) => EpochMs;

const EXPECTED = 'Expected how long ago, such as 2h or 90m, or a time, such as 2026-01-01T12:00:00Z.';

/** Reads `2h`, `7d` or a time of RFC 3339. */
export function momentOf(text: string): Moment {
  const days = /^(\d{1,3})d$/.exec(text);
  const ago = days === null ? parseDuration(text) : parseDuration(`${Number(days[1]) * 24}h`);
  if (ago.ok && ago.value > 0) {
    return (now) => epochMs(now - ago.value);
  }
  const time = parseTime(text);
  if (!time.ok) {
    throw new InvalidArgumentError(EXPECTED);
  }
  return () => time.value;
}

export const sinceOption = (): Option =>
  new Option('--since <time>', 'how long ago (2h, 7d), or a time in RFC 3339')
    .argParser(momentOf)
    .default(momentOf('24h'), '24h');

/**
 * Declares where a command finds a period of a history, and which period.
 *
 * @param usually the period without `--last`, in words
 */
export const withPeriodFlags = (command: Command, usually: string): Command =>
  command
    .argument('[files...]', 'files with scenarios of different times, instead of --cluster; - reads standard input')
    .option(
      '--last <time>',
      `how much of the history (2h, 7d), or since when (default: ${usually}; of files: all)`,
      momentOf,
    )
    .option('--until <time>', 'the end, in the same form (default: now; of files: the last)', momentOf);
