import { addTime, type DurationMs } from '../../model/time.ts';
import { podsToMove } from '../../scaledown/drainability/drainability.ts';
import { pollAfter, SETTLING_LIMIT } from '../limits.ts';
import { objectionOfAge, objectionOfGroup, objectionOfPods, objectionToMarked } from '../blockers.ts';
import type { Facts } from '../observation.ts';
import type { Drain } from '../../model/drain.ts';
import { go, object, type Objection, type Phase, rollBack, stay } from '../step.ts';

/** Lets the scheduler see the taint, then looks at everything once more that the decision was made from. */
export const settling: Phase = (drain, facts) => {
  const { now, options, machine } = facts;
  const objection = objectionToMarked(drain, facts) ?? objectionOfAge(drain, facts);
  if (objection !== null) {
    return rollBack(drain, facts, objection);
  }
  const settled = addTime(drain.phaseSince, options.nodeDeleteDelayAfterTaint);
  if (now < settled) {
    return stay(drain, facts, (settled - now) as DurationMs, null);
  }
  if (machine === null) {
    return now - settled >= SETTLING_LIMIT
      ? rollBack(drain, facts, object('InternalError', 'the cloud could not be asked about the machine'))
      : stay(drain, facts, pollAfter(now - settled), 'the cloud does not say how the machine is');
  }
  const changed = objectionOfGroup(drain, facts) ?? whatHasChanged(drain, facts);
  return changed === null ? go('Evicting', drain) : rollBack(drain, facts, changed);
};

function whatHasChanged({ kind }: Drain, facts: Facts): Objection | null {
  const found = podsToMove(facts.counted, facts.context);
  if (found.kind === 'Blocked') {
    return object('NoLongerRemovable', `${found.reason}: ${found.message}`, found.pod);
  }
  const [waiting] = found.waiting;
  if (waiting !== undefined) {
    return object('NoLongerRemovable', 'the node has to wait until it has ended', waiting);
  }
  return kind === 'empty' ? objectionOfPods(facts) : null;
}
