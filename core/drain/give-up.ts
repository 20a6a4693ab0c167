import { type Drain, type DrainPhase, hasEnded } from '../model/drain.ts';
import type { DrainBlocker } from '../model/drain-blocker.ts';
import type { Options } from '../model/options.ts';
import { addTime, type DurationMs, durationMs, type EpochMs, minutes, seconds } from '../model/values/time.ts';
import type { AdvancedDrain } from './advance.ts';
import { ENDING_LIMIT, longestDrain, UNSEEN_LIMIT } from './limits.ts';
import { rollbackReason, rollBack } from './step.ts';
import { assertTransition } from './transitions.ts';

/**
 * Why a drain is taken back whatever is observed, for it has used up the longest time that a drain may
 * take. `null`: it may go on. Asked before anything is read or worked out, so that neither can keep a drain for ever.
 */
export function timeIsUp(drain: Drain, now: EpochMs, options: Options): DrainBlocker | null {
  const after = longestDrain(options);
  return mayBeTakenBack(drain, now) && now - drain.createdAt >= after ? { kind: 'TimeUp', after } : null;
}

/**
 * The same, for a step that could not be made: the node could not be read, or its facts not be worked out.
 *
 * @param trouble what was in the way, in words
 */
export function observationTimedOut(drain: Drain, now: EpochMs, trouble: string): DrainBlocker | null {
  const after = UNSEEN_LIMIT;
  return mayBeTakenBack(drain, now) && now - drain.nextAt >= after ? { kind: 'Unobservable', after, trouble } : null;
}

/**
 * Not while it is taken back already. An instance whose end was asked for may end at any moment, and nothing must be
 * scheduled to it: what has not come true long after has not happened.
 */
export function mayBeTakenBack({ phase, phaseSince, terminateAskedAt }: Drain, now: EpochMs): boolean {
  if (hasEnded({ phase }) || phase === 'RollingBack') {
    return false;
  }
  const asked = phase === 'AwaitingTermination' ? phaseSince : terminateAskedAt;
  return asked === null || now >= addTime(asked, ENDING_LIMIT);
}

/** The drain as it is taken back; the next step observes the node alone. */
export function givenUpDrain(drain: Drain, now: EpochMs, blocker: DrainBlocker): AdvancedDrain {
  const { drain: failed, effects } = rollBack(drain, { now }, rollbackReason(blocker));
  const to: DrainPhase = 'RollingBack';
  assertTransition(drain.phase, to);
  return {
    drain: { ...failed, phase: to, phaseSince: now, nextAt: now },
    effects,
    changes: [{ from: drain.phase, to, lasted: now - drain.phaseSince }],
  };
}

/**
 * Replaces a step that cannot be stored because its evicted pods take too much space: the evictions are forgotten, and
 * the node is freed, unless its instance may be about to end.
 */
export function replaceUnstorableStep(before: Drain, next: AdvancedDrain, now: EpochMs): AdvancedDrain {
  const { phase, terminateAskedAt } = before;
  if (phase === 'RollingBack' || phase === 'AwaitingTermination' || terminateAskedAt !== null) {
    return { ...next, drain: { ...next.drain, evictions: [] } };
  }
  const pods = next.drain.evictions.length;
  return givenUpDrain({ ...before, evictions: [] }, now, { kind: 'TooLargeToStore', pods });
}

/** The shortest and the longest wait before a node that could not be read is read again. */
const SHORTEST_WAIT = seconds(10);
const LONGEST_WAIT = minutes(2);

/**
 * When a drain is observed again that could not be observed. One that is taken back, which nothing waits for, is observed
 * ever more seldom, for its node may stay out of reach for long.
 */
export function afterTrouble({ phase, nextAt }: Drain, now: EpochMs): DurationMs {
  if (phase !== 'RollingBack') {
    return SHORTEST_WAIT;
  }
  return durationMs(Math.min(Math.max(Math.floor((now - nextAt) / 5), SHORTEST_WAIT), LONGEST_WAIT));
}
