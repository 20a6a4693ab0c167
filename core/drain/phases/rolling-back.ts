import type { Drain } from '../../model/drain.ts';
import { mapOptional } from '../../model/values/optional.ts';
import { ANSWER_LIMIT, pollAfter } from '../limits.ts';
import { markerOwnerOf, takeMarkersOff } from '../removal-markers.ts';
import type { DrainFacts } from '../observation.ts';
import { go, type Phase, stay, withEffects } from '../step.ts';
import { troubleOf, withAnswer } from './tainting.ts';

/**
 * Frees the node again, for as long as it takes: this phase ends when the node is seen without the markers, and in no other
 * way while it and its instance are there.
 */
export const rollingBack: Phase = (given, facts) => {
  const { now, node, results } = facts;
  const drain = withAnswer(given, results.changeNode);
  const age = now - drain.phaseSince;
  // Nothing must be scheduled to an instance that is about to end, whatever ends it.
  if (node === null || facts.instance?.state === 'ending') {
    return ended(drain, facts);
  }
  if (markerOwnerOf(node, drain) === 'this drain') {
    return withEffects(stay(drain, facts, pollAfter(age), troubleOf(results.changeNode) ?? given.waitingFor), [
      takeMarkersOff(node, drain),
    ]);
  }
  // A taint that was asked for, and not answered, may still arrive.
  return drain.taintAskedAt !== null && now - drain.taintAskedAt < ANSWER_LIMIT
    ? stay(drain, facts, pollAfter(age), 'the taint may still arrive')
    : ended(drain, facts);
};

const ended = (drain: Drain, { now }: DrainFacts) =>
  go('RolledBack', {
    ...drain,
    taintAskedAt: null,
    outcome: mapOptional(drain.outcome, (outcome) => ({ ...outcome, at: now })),
  });
