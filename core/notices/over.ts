import type { Notice } from '../model/notice.ts';
import { addTime, type EpochMs, minutes } from '../model/values/time.ts';

/** How long an instance that is being stopped may still be in the lists of the cloud and the cluster. */
const STOPPING_FOR = minutes(10);
/** If the cloud does not state when it ends an instance, the instance counts as ended after this. */
const LONGEST_NOTICE = minutes(24 * 60);
/** A rebalance recommendation has no end; what could not be done for it by then is not done. */
const LONGEST_RECOMMENDATION = minutes(60);

/** When the notice is about nothing any more, as the instance has been ended by then. */
export function overAt({ kind, receivedAt, endsAt, hook }: Notice): EpochMs {
  if (kind === 'InstanceStopping') {
    return addTime(receivedAt, STOPPING_FOR);
  }
  const longest = kind === 'RebalanceRecommendation' ? LONGEST_RECOMMENDATION : LONGEST_NOTICE;
  const until = endsAt ?? addTime(receivedAt, longest);
  return hook?.heartbeatUntil == null || hook.heartbeatUntil > until ? until : hook.heartbeatUntil;
}

export const isOver = (notice: Notice, now: EpochMs): boolean => overAt(notice) <= now;
