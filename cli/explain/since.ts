import { firstNames } from '@outrigger/core/model/values/clip.ts';
import type { Subject } from '@outrigger/core/explanation/pages/page.ts';
import { type HistorySubject, type SaidPeriod, timelineOf } from '@outrigger/core/explanation/timeline.ts';
import { counted, pluralOf } from '@outrigger/core/model/values/counted.ts';
import { printableData } from '@outrigger/core/model/values/printable.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { err, ok } from '@outrigger/core/model/values/result.ts';
import { type EpochMs, formatTime } from '@outrigger/core/model/values/time.ts';
import type { HistoryDecision, HistoryKind } from '@outrigger/core/ports/decision-history.ts';
import { sinceText } from '@outrigger/core/words/when.ts';
import { keptAs } from '../history/kept.ts';
import type { Moment } from '../history/period.ts';
import type { Style } from '../terminal/text.ts';
import type { AnswerResult, ClusterStores } from './stored.ts';
import { facts, listed, page } from './show/page.ts';
import { byRecord, podKeyOf, subjectText } from './subjects.ts';

/** How many decisions back from a time that of each part is looked for which held then. */
const LOOKED_BACK = 50;

/** A pod, a node or a node group by the latest decisions. */
export async function aboutSubject(subject: Subject, name: string, stored: ClusterStores): Promise<AnswerResult> {
  const answered = await byRecord((record) => subjectText(subject, name, record))(stored);
  if (answered.ok) {
    return answered;
  }
  return err([...answered.error, ...(await earlierMention(subject, name, stored))]);
}

/** The statements of decisions about a pod, a node or a node group since some time. */
export async function aboutSince(
  subject: Subject,
  name: string,
  since: Moment,
  stored: ClusterStores,
): Promise<AnswerResult> {
  const { now, history, signal } = stored;
  const from = since(now);
  const { name: cluster } = await keptAs(stored);
  const [within, before] = await Promise.all([
    history.decisions(cluster, { since: from }, signal),
    history.decisions(cluster, { until: from, limit: LOOKED_BACK }, signal),
  ]);
  const decisions = [...within, ...latestOfEachPart(before)];
  if (decisions.length === 0) {
    return err([
      `error: No decision of cluster ${stored.cluster} is kept since ${formatTime(from)}: is the option decisionHistory 0, or was the cluster not evaluated?`,
    ]);
  }
  const asked = askedOf(subject, name);
  const periods = timelineOf(cluster, decisions, asked).filter(({ until }) => until === null || until > from);
  if (periods.length === 0) {
    return err([
      `error: None of ${counted(decisions.length, 'decision')} since ${formatTime(from)} mentions ${subject} ${asked.name}`,
      'Without --since, the names that are near are printed.',
    ]);
  }
  const timeline = { subject, name: asked.name, since: from, at: now, decisions: decisions.length, periods };
  return ok({
    kind: 'Timeline',
    explanation: timeline,
    text: (style) => tellTimeline(printableData(timeline) as typeof timeline, style),
  });
}

/** A sentence on earlier decisions that mention a subject of which the latest ones say nothing; empty where none does. */
async function earlierMention(subject: Subject, name: string, stored: ClusterStores): Promise<readonly string[]> {
  const { name: cluster } = await keptAs(stored);
  const decisions = await stored.history.decisions(cluster, { limit: LOOKED_BACK }, stored.signal);
  const last = timelineOf(cluster, decisions, askedOf(subject, name)).at(-1);
  if (last === undefined) {
    return [];
  }
  const until = mapOptional(last.until, (end) => `, until ${formatTime(end)}`) ?? '';
  return [`Earlier decisions mention it${until}: --since ${formatTime(last.from)} prints what they say.`];
}

const askedOf = (subject: Subject, name: string): HistorySubject =>
  subject === 'pod' ? { kind: subject, name: podKeyOf(name) } : { kind: subject, name };

/** The decisions before a time that held at that time. */
const latestOfEachPart = (latestFirst: readonly HistoryDecision[]): readonly HistoryDecision[] =>
  (['scale-up', 'scale-down', 'evaluation'] as const).flatMap(
    (part) => latestFirst.find(({ kind }) => kind === part) ?? [],
  );

interface Timeline {
  readonly subject: Subject;
  readonly name: string;
  readonly since: EpochMs;
  readonly at: EpochMs;
  readonly decisions: number;
  readonly periods: readonly SaidPeriod[];
}

const SUBJECTS: Readonly<Record<Subject, string>> = { pod: 'Pod', node: 'Node', group: 'Node group' };
const PARTS: Readonly<Record<HistoryKind, string>> = {
  'scale-up': 'Scale-up',
  'scale-down': 'Scale-down',
  evaluation: 'Evaluation',
};

function tellTimeline({ subject, name, since, at, decisions, periods }: Timeline, style: Style): string {
  const rows = (part: HistoryKind): readonly (readonly string[])[] =>
    periods
      .filter((period) => period.part === part)
      .map(({ from, until, what, why, decisions: ids }) => [
        `${formatTime(from)}\n${mapOptional(until, (end) => `– ${formatTime(end)}`) ?? ''}`,
        [what, ...why, `${pluralOf('decision', ids.length)} ${firstNames(ids, 5)}`].join('\n'),
      ]);
  return page([
    facts(
      [
        [SUBJECTS[subject], name],
        ['Since', `${sinceText(since, at)}: ${counted(decisions, 'decision')} looked at`],
      ],
      style,
    ),
    ...(Object.keys(PARTS) as HistoryKind[]).map((part) => listed(PARTS[part], stacked(rows(part)), style)),
  ]);
}

/** A cell of two lines beside one of several. */
const stacked = (rows: readonly (readonly string[])[]): readonly (readonly string[])[] =>
  rows.flatMap(([when = '', told = '']) => {
    const [first = '', second = ''] = when.split('\n');
    const [head = '', ...rest] = told.split('\n');
    return [
      [first, head],
      [second, rest.join('\n')],
    ];
  });
