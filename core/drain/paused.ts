import type { Drain } from '../model/drain.ts';
import { type Pause, pauseOf } from '../model/pause.ts';
import { clip } from '../model/values/clip.ts';
import { addTime, type EpochMs, seconds } from '../model/values/time.ts';
import { pauseText } from '../words/pause.ts';
import { type AdvancedDrain, withoutTime } from './advance.ts';
import type { DrainEffect } from './effects.ts';
import { givenUpDrain, mayBeTakenBack } from './give-up.ts';
import { endingNotice } from './deadline.ts';

/** A held drain is looked at as often as this: so soon does it go on, or is it rolled back. */
const HELD_WAIT = seconds(10);

/** Can a pause hold the drain? Not where the cloud ends the instance, nor while the node is being freed. */
export const isPausable = (drain: Drain): boolean => endingNotice(drain) === null && drain.phase !== 'RollingBack';

/** The pause that a drain is held by; `null`: none. */
export const pauseOfDrain = ({ group }: Drain, pauses: readonly Pause[], now: EpochMs): Pause | null =>
  pauseOf('ScaleDown', { name: group }, { pauses, now });

/**
 * The drain as a pause takes it back: where the pause cancels drains, and where the node is not tainted yet. `null`: the pause
 * holds it at most.
 */
export function takenBackBy(pause: Pause, drain: Drain, now: EpochMs): AdvancedDrain | null {
  if ((pause.cancelDrains || drain.phase === 'Tainting') && mayBeTakenBack(drain, now)) {
    return givenUpDrain(drain, now, { kind: 'Paused', pause: pauseText(pause) });
  }
  return null;
}

/**
 * The next step of a drain that a pause holds: nothing is evicted, terminated or tainted. A step without such effects
 * is made, for example a rollback. The time does not count against the drain, but for the limits from its decision on
 * (`DECISION_LIMIT`, `longestDrain`): so no drain is held for ever.
 */
export function heldBy(pause: Pause, drain: Drain, next: AdvancedDrain, now: EpochMs): AdvancedDrain {
  if (!next.effects.some((effect) => isHeld(effect, next))) {
    return next;
  }
  const waiting = { ...drain, waitingFor: clip(pauseText(pause)), nextAt: addTime(now, HELD_WAIT) };
  return { drain: withoutTime(waiting, HELD_WAIT), effects: [], changes: [] };
}

function isHeld({ kind }: DrainEffect, { drain: { phase } }: AdvancedDrain): boolean {
  return kind === 'changeNode' ? phase !== 'RollingBack' && phase !== 'RolledBack' : kind !== 'recordEvent';
}
