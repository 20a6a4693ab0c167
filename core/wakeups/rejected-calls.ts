import { addTime, type EpochMs, minutes } from '../model/values/time.ts';

/** A line in the log and a value of a metric are paid for: anybody may call the URL, as often as it answers. */
const REPORT_INTERVAL = minutes(1);
/** In a minute of one sandbox. A cluster whose webhook has an old token makes fewer calls than that. */
const FLOOD = 600;

/** Calls of the webhook without a valid token, in one sandbox. */
export interface RejectedCalls {
  /** Time of the last report; `null` before the first report. */
  readonly reportedAt: EpochMs | null;
  /** Calls since then. */
  readonly unreported: number;
}

export const NONE_REJECTED: RejectedCalls = { reportedAt: null, unreported: 0 };

export interface RejectionReport {
  readonly calls: number;
  /** At least ten calls a second. */
  readonly isFlood: boolean;
}

/** Adds a rejected call. The first one is reported at once, those after it together, once a minute: `null` in between. */
export function withRejected(
  { reportedAt, unreported }: RejectedCalls,
  now: EpochMs,
): { readonly rejected: RejectedCalls; readonly report: RejectionReport | null } {
  const calls = unreported + 1;
  if (reportedAt !== null && now < addTime(reportedAt, REPORT_INTERVAL)) {
    return { rejected: { reportedAt, unreported: calls }, report: null };
  }
  return { rejected: { reportedAt: now, unreported: 0 }, report: { calls, isFlood: calls >= FLOOD } };
}
