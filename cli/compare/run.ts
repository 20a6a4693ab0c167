import type { StoredFlags } from '../explain/flags.ts';
import { answerFromStored, type AskedOfStored, fail, MALFORMED, UNKNOWN } from '../explain/stored.ts';
import { writeReport } from '../html/write-report.ts';
import { displayName, readSource } from '../terminal/sources.ts';
import type { TerminalStreams } from '../terminal/streams.ts';
import { NO_ANNOUNCEMENTS, readAnnouncements } from './announcements.ts';
import { aboutComparison, type ComparedPeriod } from './answer.ts';
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
  now: AskedOfStored['now'],
  streams: TerminalStreams,
): Promise<number> {
  const { events, html, cluster } = flags;
  const source = events === undefined ? null : await readSource(events, streams.stdin);
  const announced = source === null || !source.ok ? source : readAnnouncements(source.value);
  if (announced?.ok === false) {
    return await fail(MALFORMED, [`${displayName(events ?? '')}: ${announced.error}`], streams);
  }
  let isWritten = true;
  const code = await answerFromStored(
    {
      flags,
      now,
      answer: aboutComparison.bind(null, flags, announced?.value ?? NO_ANNOUNCEMENTS, async (comparison) => {
        isWritten =
          html === undefined || (await writeReport(comparisonReport(cluster, comparison), html, streams.stderr));
      }),
    },
    streams,
  );
  return isWritten ? code : UNKNOWN;
}
