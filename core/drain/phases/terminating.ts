import type { Drain } from '../../model/drain.ts';
import type { TerminateOutcome } from '../../model/answers.ts';
import { seconds } from '../../model/values/time.ts';
import { ANSWER_LIMIT, pollAfter, SHORTEST_WAIT, TERMINATING_LIMIT } from '../limits.ts';
import { endingNotice, isAtDeadline } from '../deadline.ts';
import { hasLastTaint, putLastTaintOn } from '../removal-markers.ts';
import { blockerOfGroup, blockerOfPods, blockerOfMarked, stopFor } from '../blockers.ts';
import { type DrainFacts, isOfPod } from '../observation.ts';
import { go, rollbackReason, type Phase, rollBack, type DrainProgress, stay, withEffects } from '../step.ts';
import { blockerOfDrainedGroup } from '../group-drain.ts';
import { troubleOf, withAnswer } from './tainting.ts';

const THROTTLED_WAIT = seconds(5);

/**
 * Has the instance terminated. Once that was asked for, nothing is undone before it is certain that it did not happen: the
 * cloud has refused and still has the instance, or still has it long after.
 */
export const terminating: Phase = (given, facts) => {
  const answered = withAnswer(given, facts.results.changeNode);
  if (answered.terminateAskedAt === null) {
    return end(answered, facts);
  }
  const asked = answered.terminateAskedAt;
  const { now, instance, results } = facts;
  const answer = results.terminate;
  // To the cloud, an instance that was taken out of its group meanwhile is none that it could end.
  const isAside = instance?.state === 'aside';
  if (answer?.kind === 'terminated' || (answer?.kind === 'gone' && !isAside)) {
    return go('AwaitingTermination', answered);
  }
  const waits = answered.notice?.hook != null && instance?.state === 'ending';
  if (instance !== null && instance.state !== 'in group' && !isAside && !waits) {
    return go('AwaitingTermination', answered);
  }
  if (answer?.kind === 'gone') {
    return end({ ...answered, terminateAskedAt: null }, facts);
  }
  const drain = { ...answered, waitingFor: troubleOf(answer) ?? answered.waitingFor };
  if (answer?.kind === 'failed' && isCertain(answer)) {
    const refused = { ...drain, terminateAskedAt: null };
    if (answer.class === 'Throttled') {
      return overdue(refused, facts) ?? stay(refused, facts, THROTTLED_WAIT, drain.waitingFor);
    }
    return rollBack(refused, facts, rollbackReason({ kind: 'TerminationRefused', trouble: drain.waitingFor }));
  }
  if (instance === null || now - asked < ANSWER_LIMIT) {
    return stay(
      drain,
      facts,
      pollAfter(now - asked),
      drain.waitingFor ?? 'it is not known whether the cloud has agreed',
    );
  }
  const undone = { ...drain, terminateAskedAt: null };
  return overdue(undone, facts) ?? end(undone, facts);
};

/** Errors of the cloud itself may hide a success. */
const isCertain = (answer: Extract<TerminateOutcome, { readonly kind: 'failed' }>): boolean =>
  answer.class !== 'Other' && answer.class !== 'Timeout';

function overdue(drain: Drain, facts: DrainFacts): DrainProgress | null {
  if (facts.now - drain.phaseSince < TERMINATING_LIMIT) {
    return null;
  }
  return rollBack(drain, facts, rollbackReason({ kind: 'TerminationUnanswered', trouble: drain.waitingFor }));
}

/** At its minimum the group replaces an instance that the cloud ends. */
const lowersTarget = ({ notice }: Drain, { instance }: DrainFacts): boolean =>
  notice === undefined || instance?.size == null || instance.size.target > instance.size.min;

/**
 * Pods that came while the termination was refused are evicted, too, where the cloud ends the instance later. A pod
 * that cannot be read may have to move.
 */
const hasTimeForPods = (drain: Drain, { now, moving, unreadable }: DrainFacts): boolean =>
  endingNotice(drain) !== null && !isAtDeadline(drain, now) && (moving.length > 0 || unreadable.some(isOfPod));

/** Asks for the termination, after a last check of what must not be lost with the instance. */
function end(drain: Drain, facts: DrainFacts): DrainProgress {
  const { now, node, instance, options } = facts;
  const blocker =
    blockerOfMarked(drain, facts) ??
    (endingNotice(drain) === null ? (blockerOfPods(facts) ?? blockerOfGroup(drain, facts)) : null) ??
    blockerOfDrainedGroup(drain, facts);
  if (blocker !== null) {
    return stopFor(drain, facts, blocker);
  }
  if (hasTimeForPods(drain, facts)) {
    return go('Evicting', drain);
  }
  const late = overdue(drain, facts);
  if (late !== null) {
    return late;
  }
  if (instance === null) {
    // The phase before does not ask the cloud for the instance.
    const wait = now === drain.phaseSince ? SHORTEST_WAIT : pollAfter(now - drain.phaseSince);
    return stay(drain, facts, wait, drain.waitingFor);
  }
  const hook = drain.notice?.hook ?? null;
  if (instance.state === 'ending' && hook === null) {
    return go('AwaitingTermination', drain);
  }
  if (options.nodeLifecycleTaints && node !== null && !hasLastTaint(node)) {
    return withEffects(stay({ ...drain, taintAskedAt: now }, facts, SHORTEST_WAIT, null), [putLastTaintOn(drain)]);
  }
  const about = { group: drain.group, instance: drain.instance };
  return withEffects(stay({ ...drain, terminateAskedAt: now }, facts, SHORTEST_WAIT, null), [
    hook === null
      ? { kind: 'terminate', ...about, decrement: lowersTarget(drain, facts) }
      : { kind: 'completeHook', ...about, hook },
  ]);
}
