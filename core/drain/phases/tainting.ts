import type { Drain } from '../../model/drain.ts';
import type { TerminateOutcome, WriteOutcome } from '../../model/answers.ts';
import { addTime } from '../../model/values/time.ts';
import { isRemovalUnderWay } from '../../model/cluster/removal-taints.ts';
import { taintedEvent } from '../events.ts';
import { pollAfter, TAINTING_LIMIT } from '../limits.ts';
import { hasMarkers, isMarkedLater, markerOwnerOf, putMarkersOn } from '../removal-markers.ts';
import { blockerOfAge, blockerOf } from '../blockers.ts';
import { go, rollbackReason, type Phase, rollBack, stay, withEffects } from '../step.ts';

/** Asks for the removal markers until the node is seen with them. */
export const tainting: Phase = (given, facts) => {
  const { node, now, options, results } = facts;
  const drain = withAnswer(given, results.changeNode);
  const blocker = blockerOf(drain, facts) ?? blockerOfAge(drain, facts);
  if (blocker !== null) {
    return rollBack(drain, facts, blocker);
  }
  if (node === null) {
    return go('Validating', { ...drain, taintAskedAt: null });
  }
  if (hasMarkers(node, drain)) {
    return go('Validating', { ...drain, taintAskedAt: null }, [taintedEvent(drain)]);
  }
  // Two drains that put their markers on in turn would both get stuck.
  if (given.taintAskedAt !== null && isMarkedLater(node, drain)) {
    return rollBack(drain, facts, rollbackReason({ kind: 'TakenOver' }));
  }
  // Markers that another autoscaler left long ago, before it died, are taken over.
  if (markerOwnerOf(node, drain) === 'another autoscaler' && isRemovalUnderWay(node, now)) {
    return rollBack(drain, facts, rollbackReason({ kind: 'OtherAutoscaler' }));
  }
  const trouble = troubleOf(results.changeNode) ?? given.waitingFor;
  if (now - drain.phaseSince >= TAINTING_LIMIT) {
    return rollBack(drain, facts, rollbackReason({ kind: 'TaintNotSeen', trouble }));
  }
  const wait = pollAfter(now - drain.phaseSince);
  // Pods that come while another client has taken the markers off do not come back in spite of the markers (`isBack`).
  const evictions = drain.evictions.map((one) =>
    one.evictedAt === null ? one : { ...one, firstTriedAt: addTime(now, wait) },
  );
  return withEffects(stay({ ...drain, evictions, taintAskedAt: now }, facts, wait, trouble), [
    putMarkersOn(node, drain, options),
  ]);
};

/**
 * A change that has been made leaves none on its way: one that was asked for earlier, and not answered, was made from
 * an older version of the node, and is refused. A failure says nothing about those.
 */
export const withAnswer = (drain: Drain, answer: WriteOutcome | null): Drain =>
  answer?.kind === 'done' || answer?.kind === 'gone' ? { ...drain, taintAskedAt: null } : drain;

/** Why a call has failed, in words; `null` where it has not. */
export const troubleOf = (answer: WriteOutcome | TerminateOutcome | null): string | null =>
  answer?.kind === 'failed' ? `${answer.code}: ${answer.message}` : null;
