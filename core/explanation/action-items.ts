import { overdueWork } from '../wakeups/overdue-work.ts';
import { lastingFailures } from '../registry/backoff.ts';
import type { SkipReason } from '../model/decision.ts';
import { isScaleUpSilent } from '../model/overdue-work.ts';
import type { StoredHealthProblem } from '../model/health-problem.ts';
import { presentItems } from '../model/values/optional.ts';
import { formatTime, minutes } from '../model/values/time.ts';
import { SCALE_UP_RESULTS } from '../words/outcomes.ts';
import { OVERDUE_WORK, overdueWorkSubject } from '../words/overdue-work.ts';
import { SILENCE } from '../words/silence.ts';
import { HEALTH_PROBLEMS } from '../words/health-problems.ts';
import { subjectOf, UNEXPECTED_ERRORS } from '../words/unexpected-errors.ts';
import { CLOUD_ACTION_WORDS } from '../words/cloud-actions.ts';
import { WHY_GROUP_SKIPPED, whyGroupSkipped } from '../words/why-group-skipped.ts';
import { WHY_LAUNCH_FAILED } from '../words/why-launch-failed.ts';
import { decidedAt, latestRegistry, type ClusterRecord } from './cluster-record.ts';

/** Something that stays wrong until a person corrects it. */
export interface ActionItem {
  /** The kind: a reason of the code. */
  readonly reason: string;
  /** The object that needs correction: `node group web`, `node n1`; `null`: the cluster. */
  readonly about: string | null;
  readonly what: string;
  readonly advice: string | null;
}

/** Groups are skipped for these until something is corrected; for the other reasons, for a while. */
const LASTING_SKIPS: ReadonlySet<SkipReason> = new Set([
  'Invalid',
  'LaunchSuspended',
  'MaxCostPerHourReached',
  'NoTemplate',
  'UnexpectedError',
]);

const SCAN = minutes(1);

/** Conditions that need correction, the most general first. */
export const actionItems = (record: ClusterRecord): readonly ActionItem[] => [
  ...ofFunctions(record),
  ...ofCluster(record),
  ...ofHealthProblems(record),
  ...ofGroups(record),
  ...ofErrors(record),
];

/** Overdue work of the functions. */
function ofFunctions(record: ClusterRecord): readonly ActionItem[] {
  const { options, now } = record;
  const last = decidedAt(record, 'ScaleUp');
  const isSilent = last !== null && isScaleUpSilent(last, options, now);
  const { sentence, advice } = SILENCE.ScaleUpSilent;
  return presentItems([
    isSilent && { reason: 'ScaleUpSilent', about: null, what: sentence, advice },
    ...overdueWork(record, options, SCAN, now).map((late) => ({
      reason: late.kind,
      about: overdueWorkSubject(late),
      what: OVERDUE_WORK[late.kind].sentence,
      advice: OVERDUE_WORK[late.kind].advice,
    })),
  ]);
}

function ofCluster(record: ClusterRecord): readonly ActionItem[] {
  if (latestRegistry(record)?.clusterHealthy !== false) {
    return [];
  }
  const { sentence, advice = null } = SCALE_UP_RESULTS.ClusterUnhealthy;
  return [{ reason: 'ClusterUnhealthy', about: null, what: sentence, advice }];
}

const SUBJECT_OF: Readonly<Record<StoredHealthProblem['kind'], string>> = {
  LongPendingPods: 'pod',
  WebhookSilent: 'pod',
  NodeTainted: 'node',
  NodeAwaitingPods: 'node',
  LongPause: 'node group',
};

/** The other problems that an alarm was raised about. */
const ofHealthProblems = ({ state }: ClusterRecord): readonly ActionItem[] =>
  (state.problems ?? []).map(({ kind, since, about, pods }) => ({
    reason: kind,
    about: about === '' ? null : `${SUBJECT_OF[kind]} ${about}`,
    what: `${HEALTH_PROBLEMS[kind].sentence} ${pods > 1 ? `It is one of ${pods} pods, since` : 'Since'} ${formatTime(since)}.`,
    advice: HEALTH_PROBLEMS[kind].advice,
  }));

function ofGroups(record: ClusterRecord): readonly ActionItem[] {
  const { state, scaleUp, now } = record;
  const about = (group: string): string => `node group ${group}`;
  return [
    ...lastingFailures({}, state.backoff, now).map(({ group, class: failure, until }) => ({
      reason: failure,
      about: about(group),
      what: `${WHY_LAUNCH_FAILED[failure].sentence} It is tried again at ${formatTime(until)}.`,
      advice: WHY_LAUNCH_FAILED[failure].advice,
    })),
    ...(scaleUp?.scaleUp.skippedGroups ?? [])
      .filter(({ reason }) => LASTING_SKIPS.has(reason))
      .map((skipped) => ({
        reason: skipped.reason,
        about: about(skipped.group),
        what: whyGroupSkipped(skipped),
        advice: WHY_GROUP_SKIPPED[skipped.reason].advice,
      })),
    ...Object.entries(latestRegistry(record)?.groups ?? {}).flatMap(([group, { warnings = [] }]) =>
      presentItems(
        warnings.map((reason) => {
          const { sentence: what, advice } = CLOUD_ACTION_WORDS[reason];
          return advice !== undefined && { reason, about: about(group), what, advice };
        }),
      ),
    ),
  ];
}

const ofErrors = ({ scaleUp, scaleDown }: ClusterRecord): readonly ActionItem[] =>
  [scaleUp, scaleDown].flatMap((decision) =>
    (decision?.unexpectedErrors ?? []).map((error) => ({
      reason: 'UnexpectedError',
      about: subjectOf(error),
      what: `${UNEXPECTED_ERRORS[error.during].sentence} ${error.message}`,
      advice: UNEXPECTED_ERRORS[error.during].advice,
    })),
  );
