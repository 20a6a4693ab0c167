import { addTime, type DurationMs } from '../../model/values/time.ts';
import { podsToMove } from '../../scaledown/drainability/pods-to-move.ts';
import { pollAfter, VALIDATING_LIMIT } from '../limits.ts';
import { blockerOfAge, blockerOfEmpty, blockerOfGroup, blockerOfMarked, podBlocks } from '../blockers.ts';
import { endingNotice } from '../deadline.ts';
import type { DrainFacts } from '../observation.ts';
import type { Drain } from '../../model/drain.ts';
import { blockerOfGroupDrain } from '../group-drain.ts';
import { go, rollbackReason, type RollbackReason, type Phase, rollBack, stay } from '../step.ts';

/** Lets the scheduler see the taint, then checks everything again that the decision was made from. */
export const validating: Phase = (drain, facts) => {
  const { now, options, instance } = facts;
  const blocker = blockerOfMarked(drain, facts) ?? blockerOfAge(drain, facts);
  if (blocker !== null) {
    return rollBack(drain, facts, blocker);
  }
  if (endingNotice(drain) !== null) {
    return go('Evicting', drain);
  }
  const settled = addTime(drain.phaseSince, options.nodeDeleteDelayAfterTaint);
  if (now < settled) {
    return stay(drain, facts, (settled - now) as DurationMs, null);
  }
  if (instance === null) {
    return now - settled >= VALIDATING_LIMIT
      ? rollBack(drain, facts, rollbackReason({ kind: 'InstanceUnknown' }))
      : stay(drain, facts, pollAfter(now - settled), 'the cloud does not say what state the instance is in');
  }
  const changed = blockerOfGroup(drain, facts) ?? whatHasChanged(drain, facts) ?? blockerOfGroupDrain(drain, facts);
  return changed === null ? go('Evicting', drain) : rollBack(drain, facts, changed);
};

function whatHasChanged(drain: Drain, facts: DrainFacts): RollbackReason | null {
  const found = podsToMove(facts.counted, facts.context);
  if (found.kind === 'Blocked') {
    return podBlocks(found, found.pod);
  }
  const [waiting] = found.waiting;
  if (waiting !== undefined) {
    return rollbackReason({ kind: 'PodMustComplete' }, waiting);
  }
  return blockerOfEmpty(drain, facts);
}
