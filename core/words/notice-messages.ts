import type { Message } from '../model/message.ts';
import type { Notice, NoticeKind } from '../model/notice.ts';
import type { ClusterName } from '../model/values/names.ts';
import { mapOptional, presentItems } from '../model/values/optional.ts';
import { type EpochMs, formatTime } from '../model/values/time.ts';
import { NOTICES } from './notices.ts';

/** Notices of which a message tells. Every ordinary termination has the others. */
const TOLD: ReadonlySet<NoticeKind> = new Set([
  'SpotInterruption',
  'RebalanceRecommendation',
  'ScheduledChange',
  'CapacityReservationEnd',
]);

/** The messages of notices that have been stored for the first time. */
export const noticeMessages = (cluster: ClusterName, notices: readonly Notice[], now: EpochMs): readonly Message[] =>
  notices
    .filter(({ kind, isClosed }) => TOLD.has(kind) && !isClosed)
    .map(({ kind, instance, group, endsAt }) => ({
      kind: 'Interruption',
      id: `${cluster}/${instance}/${kind}/${mapOptional(endsAt, formatTime) ?? ''}`,
      cluster,
      time: now,
      text: presentItems([
        `Instance ${instance} of node group ${group}: ${NOTICES[kind].short}`,
        mapOptional(endsAt, (end) => `ends at ${formatTime(end)}`),
      ]).join(', '),
      reason: kind,
      group,
      instance,
    }));
