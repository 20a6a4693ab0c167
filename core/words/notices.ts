import type { DepartureReport, NoticeReport } from '../model/decision.ts';
import type { NoticeAnswer, NoticeKind } from '../model/notice.ts';
import type { Shortage } from '../model/state.ts';
import { mapOptional, presentItems } from '../model/values/optional.ts';
import { type EpochMs, formatTime } from '../model/values/time.ts';
import type { Words } from './words.ts';

/** The notices about an instance. */
export const NOTICES: Readonly<Record<NoticeKind, Words>> = {
  RebalanceRecommendation: {
    short: 'rebalance recommendation',
    sentence:
      'AWS sees an elevated risk that the Spot instance is interrupted. The option rebalanceRecommendation says what is done for it.',
  },
  ScheduledChange: {
    short: 'scheduled maintenance',
    sentence: 'AWS Health has announced maintenance that ends the instance (option scheduledChange).',
  },
  CapacityReservationEnd: {
    short: 'end of its capacity reservation',
    sentence: 'AWS takes back the capacity reservation that the instance runs in (option scheduledChange).',
  },
  SpotInterruption: {
    short: 'Spot interruption',
    sentence: 'AWS interrupts the Spot instance, two minutes after its notice (option spotInterruption).',
    advice: 'More instance types and zones in the node group make interruptions rarer.',
  },
  LifecycleHook: {
    short: 'lifecycle hook of its termination',
    sentence:
      'The Auto Scaling group ends the instance, and a lifecycle hook waits. One whose name begins with outrigger is completed after the drain.',
  },
  InstanceStopping: {
    short: 'instance is stopping',
    sentence: 'The instance is being stopped or terminated. Its pods are planned for elsewhere.',
  },
};

/** The answers to a notice. */
export const NOTICE_ANSWER_WORDS: Readonly<Record<NoticeAnswer, Words>> = {
  Drain: {
    short: 'the node is drained',
    sentence: 'The node is drained, and its pods are planned for elsewhere in the same evaluation.',
  },
  DrainLater: {
    short: 'the node is drained an hour before',
    sentence: 'The node is drained from one hour before its instance ends.',
    advice: 'Drain the node by hand at a better time, if there is one.',
  },
  Plan: {
    short: 'pods are planned for elsewhere',
    sentence:
      'The pods are planned for elsewhere. Nothing is drained, as the instance is ending or another tool drains it.',
  },
  CompleteHook: {
    short: 'the hook is completed',
    sentence: 'The instance has not become a node, so its lifecycle hook is completed at once.',
  },
  Replace: {
    short: 'the node is replaced',
    sentence:
      'The pods are planned for elsewhere, and the node is drained once all of them have capacity on ready nodes (option rebalanceRecommendation). At most maxDrainParallelism nodes are replaced at the same time.',
  },
  Cordon: {
    short: 'the node is cordoned',
    sentence:
      'The node is cordoned, once, and takes no more pods until it is uncordoned (option rebalanceRecommendation).',
  },
  Ignore: {
    short: 'nothing is done',
    sentence:
      'Nothing is done. The options say so (spotInterruption, scheduledChange, rebalanceRecommendation), or AWS replaces the instance (Capacity Rebalancing). Or the node is kept in any case (annotation, pause, update, zonal shift).',
  },
};

/** The notice, its time, the answer and its deadline, in one phrase. */
export const noticeText = ({
  notice,
  receivedAt,
  endsAt,
  answer,
  until,
}: Pick<NoticeReport, 'notice' | 'receivedAt' | 'endsAt' | 'until'> & {
  readonly answer: NoticeAnswer | null;
}): string =>
  presentItems([
    `${NOTICES[notice].short}, announced at ${formatTime(receivedAt)}`,
    mapOptional(endsAt, (end) => `the instance ends at ${formatTime(end)}`),
  ]).join(', ') +
  `: ${presentItems([
    (answer && NOTICE_ANSWER_WORDS[answer].short) ?? 'not evaluated yet',
    answer !== 'DrainLater' && mapOptional(until, (end) => `until ${formatTime(end)}`),
  ]).join(', ')}`;

/** The instance type of a shortage, its end, and the reason, in one phrase. */
export function shortageText({
  type,
  zone,
  capacityType,
  until,
  lastResort,
  interrupted,
}: Shortage & { readonly interrupted: { readonly group: string; readonly at: EpochMs } | null }): string {
  const effect =
    lastResort === true
      ? `launched as ${capacityType} only if no other node group helps`
      : `not launched as ${capacityType}`;
  const cause = mapOptional(
    interrupted,
    ({ group, at }) => `AWS has interrupted an instance of node group ${group}, announced at ${formatTime(at)}`,
  );
  return `${type} in ${zone} is ${effect} until ${formatTime(until)}: ${cause ?? 'AWS had no capacity for it'}`;
}

/** A node that leaves, in one phrase. */
export const departureText = ({ node, notice }: Pick<DepartureReport, 'node' | 'notice'>): string =>
  `${node} (${NOTICES[notice].short})`;
