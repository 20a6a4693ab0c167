import type { Drain } from '../../model/drain.ts';
import type { WriteOutcome } from '../../model/ports.ts';
import { isRemovalUnderWay } from '../../model/removal-taints.ts';
import { taintedEvent } from '../events.ts';
import { pollAfter, TAINTING_LIMIT } from '../limits.ts';
import { bearerOf, isMarked, putOn } from '../removal-markers.ts';
import { objectionOfAge, objectionTo } from '../blockers.ts';
import { go, object, type Phase, rollBack, stay } from '../step.ts';

/** Asks for the marks until the node is seen with them. */
export const tainting: Phase = (given, facts) => {
  const { node, now, options, results } = facts;
  const drain = withAnswer(given, results.changeNode);
  const objection = objectionTo(facts) ?? objectionOfAge(drain, facts);
  if (objection !== null || node === null) {
    return rollBack(drain, facts, objection ?? object('Gone', 'the node is gone'));
  }
  if (isMarked(node, drain)) {
    return go('Settling', { ...drain, taintAskedAt: null }, [taintedEvent(drain)]);
  }
  // What somebody else has left there long ago, as a Cluster Autoscaler that died has, is taken over.
  if (bearerOf(node, drain) === 'somebody else' && isRemovalUnderWay(node, now)) {
    return rollBack(drain, facts, object('NoLongerRemovable', 'somebody else is removing it'));
  }
  const trouble = troubleOf(results.changeNode) ?? given.waitingFor;
  if (now - drain.phaseSince >= TAINTING_LIMIT) {
    return rollBack(drain, facts, object('FailedToMarkToBeDeleted', trouble ?? 'the taint was not seen on the node'));
  }
  const wait = pollAfter(now - drain.phaseSince);
  return stay({ ...drain, taintAskedAt: now }, facts, wait, trouble, [putOn(node, drain, options)]);
};

/**
 * A change that has been made leaves none on its way: one that was asked for earlier, and not answered, was made from
 * an older version of the node, and is refused. A failure says nothing about those.
 */
export const withAnswer = (drain: Drain, answer: WriteOutcome | null): Drain =>
  answer?.kind === 'done' || answer?.kind === 'gone' ? { ...drain, taintAskedAt: null } : drain;

export const troubleOf = (answer: WriteOutcome | null): string | null =>
  answer?.kind === 'failed' ? `${answer.code}: ${answer.message}` : null;
