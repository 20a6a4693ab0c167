import { removedEvent } from '../events.ts';
import { pollAfter, AWAITING_TERMINATION_LIMIT } from '../limits.ts';
import { go, rollbackReason, type Phase, rollBack, stay } from '../step.ts';

/** Waits until the cloud's own list shows the instance as terminating. */
export const awaitingTermination: Phase = (drain, facts) => {
  const { now, instance } = facts;
  const age = now - drain.phaseSince;
  // The cloud has agreed to the termination: where the cloud cannot be asked for long, its consent is enough.
  const gone =
    instance === null ? age >= AWAITING_TERMINATION_LIMIT : instance.state === 'ending' || instance.state === 'gone';
  if (gone) {
    return go('Removed', { ...drain, outcome: { kind: 'removed', at: now } }, [removedEvent(drain)]);
  }
  return instance !== null && age >= AWAITING_TERMINATION_LIMIT
    ? rollBack(drain, facts, rollbackReason({ kind: 'TerminationNotSeen' }))
    : stay(drain, facts, pollAfter(age), 'the cloud still shows the instance in its group');
};
