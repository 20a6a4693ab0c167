import { type Drain, type DrainPhase, hasEnded } from '../model/drain.ts';
import type { Options } from '../model/options.ts';
import { addTime, type DurationMs, durationMs, type EpochMs } from '../model/values/time.ts';
import type { DrainEffect } from './effects.ts';
import { LATE, SHORTEST_WAIT } from './limits.ts';
import { type DrainObservation, factsOf } from './observation.ts';
import { deletionDelay } from './phases/deletion-delay.ts';
import { evicting } from './phases/evicting.ts';
import { rollingBack } from './phases/rolling-back.ts';
import { validating } from './phases/validating.ts';
import { tainting } from './phases/tainting.ts';
import { terminating } from './phases/terminating.ts';
import { awaitingTermination } from './phases/awaiting-termination.ts';
import type { Phase } from './step.ts';
import { assertTransition } from './transitions.ts';

const PHASES: Readonly<Record<Exclude<DrainPhase, 'Removed' | 'RolledBack'>, Phase>> = {
  Tainting: tainting,
  Validating: validating,
  Evicting: evicting,
  DeletionDelay: deletionDelay,
  Terminating: terminating,
  AwaitingTermination: awaitingTermination,
  RollingBack: rollingBack,
};

export interface PhaseChange {
  readonly from: DrainPhase;
  readonly to: DrainPhase;
  /** How long the phase that ended has lasted, in milliseconds. */
  readonly lasted: number;
}

export interface AdvancedDrain {
  /** To be stored before any of the effects is made. */
  readonly drain: Drain;
  readonly effects: readonly DrainEffect[];
  readonly changes: readonly PhaseChange[];
}

/**
 * Advances a drain by one step: updates the drain from the observation, and returns the next effects. Goes through as
 * many phases as the facts allow. A drain that has ended stays as it is.
 *
 * Any driver can go on from the state that comes back: where an effect was asked for and its result is not known, the
 * world is observed, and nothing is done that the effect's success would make wrong.
 *
 * Follows Cluster Autoscaler's `core/scaledown/actuation`, with the order of Karpenter's terminator; docs/drain.md.
 */
export function advanceDrain(
  drain: Drain,
  observation: DrainObservation,
  now: EpochMs,
  options: Options,
): AdvancedDrain {
  const facts = factsOf(drain, observation, now, options);
  const effects: DrainEffect[] = [];
  const changes: PhaseChange[] = [];
  let current = withoutLostTime(drain, now);
  while (!hasEnded(current)) {
    const { phase, phaseSince } = current;
    const step = PHASES[phase as keyof typeof PHASES](current, facts);
    effects.push(...step.effects);
    if (step.kind === 'stay') {
      const nextAt = Math.max(step.until, now + SHORTEST_WAIT) as EpochMs;
      return { drain: { ...step.drain, nextAt }, effects: ofNode(drain, effects), changes };
    }
    assertTransition(phase, step.to);
    changes.push({ from: phase, to: step.to, lasted: now - phaseSince });
    current = { ...step.drain, phase: step.to, phaseSince: now, nextAt: now };
  }
  return { drain: current, effects: ofNode(drain, effects), changes };
}

/** No event is recorded of an instance that never became a node. */
const ofNode = ({ nodeUid }: Drain, effects: readonly DrainEffect[]): readonly DrainEffect[] =>
  nodeUid === '' ? effects.filter(({ kind }) => kind !== 'recordEvent') : effects;

/** Time in which no step could be made does not count against the drain. */
function withoutLostTime(drain: Drain, now: EpochMs): Drain {
  const lost = durationMs(now - drain.nextAt);
  if (hasEnded(drain) || lost < LATE) {
    return drain;
  }
  return withoutTime(drain, lost);
}

/**
 * The drain as if this time had not passed: in which no step could be made, or was to be made. What goes by the clock
 * (grace periods, delays) goes on meanwhile.
 */
export const withoutTime = (drain: Drain, lost: DurationMs): Drain => ({
  ...drain,
  phaseSince: addTime(drain.phaseSince, lost),
  evictions: drain.evictions.map((eviction) => ({ ...eviction, giveUpAt: addTime(eviction.giveUpAt, lost) })),
});
