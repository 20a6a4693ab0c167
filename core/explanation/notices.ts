import type { NoticeReport } from '../model/decision.ts';
import { type Drain, hasEnded } from '../model/drain.ts';
import type { Notice, NoticeAnswer, NoticeKind } from '../model/notice.ts';
import { byName, type GroupName, type InstanceId, type NodeName } from '../model/values/names.ts';
import { mapOptional, presentItems } from '../model/values/optional.ts';
import type { EpochMs } from '../model/values/time.ts';
import type { Shortage } from '../model/state.ts';
import { mergedNotices } from '../notices/merged.ts';
import { isOver } from '../notices/over.ts';
import { NOTICE_ANSWER_WORDS, NOTICES } from '../words/notices.ts';
import { adviceOf, sentencesOf } from '../words/words.ts';
import { recordedOf, type ClusterRecord } from './cluster-record.ts';

/** A notice about an instance, and the answer to it. */
export interface NoticeExplanation extends Omit<NoticeReport, 'answer'> {
  /** `null`: no evaluation has seen it yet. */
  readonly answer: NoticeAnswer | null;
  readonly meaning: string;
  readonly advice: string | null;
}

/**
 * The notices that are stored and not over, by instance. Which node has the instance, and what is done, is what the last decision
 * of scale-up and the drains have recorded.
 */
export function knownNotices({ notices = [], scaleUp, drains, now }: ClusterRecord): readonly NoticeExplanation[] {
  const decided = new Map((scaleUp?.notices ?? []).map((report) => [report.instance, report]));
  const draining = new Map<InstanceId, Drain>(drains.map(({ drain }) => [drain.instance, drain]));
  return mergedNotices(notices)
    .filter((notice) => !isOver(notice, now))
    .map((notice) => explained(notice, decided.get(notice.instance), draining.get(notice.instance)));
}

function explained(notice: Notice, decided: NoticeReport | undefined, drain: Drain | undefined): NoticeExplanation {
  const { instance, group, kind, receivedAt, endsAt } = notice;
  const { answer, until } = answerTo(kind, decided, drain);
  const words = presentItems([NOTICES[kind], answer && NOTICE_ANSWER_WORDS[answer]]);
  return {
    instance,
    node: (drain === undefined || drain.nodeUid === '' ? null : drain.node) ?? decided?.node ?? null,
    group,
    notice: kind,
    receivedAt,
    endsAt,
    answer,
    until,
    meaning: sentencesOf(words),
    advice: adviceOf(words),
  };
}

function answerTo(
  kind: NoticeKind,
  decided: NoticeReport | undefined,
  drain: Drain | undefined,
): Pick<NoticeExplanation, 'answer' | 'until'> {
  if (drain?.notice !== undefined && drain.outcome?.kind !== 'rolledBack') {
    return { answer: answerOf(drain), until: hasEnded(drain) ? null : drain.notice.deadline };
  }
  return decided?.notice === kind ? decided : { answer: null, until: null };
}

function answerOf({ nodeUid, notice }: Drain): NoticeAnswer {
  if (nodeUid === '') {
    return 'CompleteHook';
  }
  return notice?.kind === 'RebalanceRecommendation' ? 'Replace' : 'Drain';
}

/** A type that is not launched in a zone for a while, and why. */
export interface ShortageExplanation extends Shortage {
  /** An instance that the cloud has taken back lately, if it may be the cause; `null`: a launch has failed. */
  readonly interrupted: { readonly group: GroupName; readonly at: EpochMs } | null;
}

/** The shortages that hold, by type and zone. */
export function knownShortages(record: ClusterRecord): readonly ShortageExplanation[] {
  const { state, now, notices = [] } = record;
  const interruptions = notices
    .filter(({ kind }) => kind === 'SpotInterruption')
    .toSorted((a, b) => b.receivedAt - a.receivedAt || byName(a.instance, b.instance));
  const mayCause = (group: GroupName, { type, capacityType }: Shortage): boolean =>
    capacityType === 'spot' && (recordedOf(record, group).template?.instanceType ?? type) === type;
  return state.shortages
    .filter(({ until }) => until > now)
    .map((shortage) => {
      const cause = interruptions.find(({ group }) => mayCause(group, shortage));
      const interrupted = mapOptional(cause, ({ group, receivedAt }) => ({ group, at: receivedAt })) ?? null;
      return { ...shortage, interrupted };
    });
}

/** The notice about a node. */
export const noticeOfNode = (record: ClusterRecord, node: NodeName): NoticeExplanation | null =>
  knownNotices(record).find((one) => one.node === node) ?? null;
