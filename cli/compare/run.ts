import type { Readable } from 'node:stream';
import type { Result } from '@outrigger/core/model/values/result.ts';
import { EXIT } from '../exit-codes.ts';
import type { StoredFlags } from '../explain/flags.ts';
import { type AskedOfStored, askStored, print } from '../explain/stored.ts';
import { writeReport } from '../html/write-report.ts';
import { displayName, readSource } from '../terminal/sources.ts';
import { fail, type TerminalStreams } from '../terminal/streams.ts';
import { readAnnouncements } from './announcements.ts';
import { aboutComparison, type ComparedPeriod } from './answer.ts';
import type { Announcements } from './comparison.ts';
import { comparisonReport } from './report.ts';

export interface CompareFlags extends StoredFlags, ComparedPeriod {
  readonly events?: string;
  readonly html?: string;
}

/**
 * Compares what is stored of an observing deployment with what it has seen the other autoscaler do.
 *
 * @returns the exit code: 0, 1 without an answer or a page, or 2 when the file of events is invalid.
 */
export async function compareStored(
  flags: CompareFlags,
  streams: TerminalStreams,
  now?: AskedOfStored['now'],
): Promise<number> {
  const { events, html, cluster } = flags;
  const announced = await announcementsIn(events, streams.stdin);
  if (!announced.ok) {
    return await fail(EXIT.invalid, [`${displayName(events ?? '')}: ${announced.error}`], streams);
  }
  const asked = {
    flags,
    now,
    answer: aboutComparison.bind(null, flags, announced.value),
  };
  const answered = await askStored(asked, streams);
  if (!answered.ok) {
    return answered.error;
  }
  const isWritten =
    html === undefined ||
    (await writeReport(comparisonReport(cluster, answered.value.comparison), html, streams.stderr));
  const code = await print(answered.value, flags.output, streams);
  return isWritten ? code : EXIT.failed;
}

async function announcementsIn(events: string | undefined, stdin: Readable): Promise<Result<Announcements, string>> {
  if (events === undefined) {
    return readAnnouncements('');
  }
  const source = await readSource(events, stdin);
  return source.ok ? readAnnouncements(source.value) : source;
}
