import type { Evaluation } from './decision.ts';
import { orderedState, type State } from './state.ts';

/**
 * Which of the two evaluations writes which field of the state. The other one passes it on as it was, so that each can be
 * decided and committed without the other.
 *
 * `Drains`: what drains have come to. No evaluation decides it; both take it over from the drains themselves
 * (`settleDrains`), with the same result in both, and does so for deletionsInProgress, scaleDownRequests,
 * unremovableUntil and the times of `groups` too, before anything is evaluated.
 */
const OWNERS: Readonly<Record<keyof State, Evaluation | 'Drains'>> = {
  unregisteredSince: 'ScaleUp',
  backoff: 'ScaleUp',
  scaleUpRequests: 'ScaleUp',
  reservations: 'ScaleUp',
  reservedPacking: 'ScaleUp',
  incorrectSize: 'ScaleUp',
  seenErrors: 'ScaleUp',
  shortages: 'ScaleUp',
  repairBackoff: 'ScaleUp',
  lastScaleUp: 'ScaleUp',
  lastScaleUpEvaluation: 'ScaleUp',
  lastNotification: 'ScaleUp',
  deferredPods: 'ScaleUp',
  // Of what is decided; its commit adds it.
  troubles: 'ScaleUp',
  // Of a group's times, scale-up writes `lastScaleUp`; the others are those of drains.
  groups: 'ScaleUp',
  unneededSince: 'ScaleDown',
  unremovableUntil: 'ScaleDown',
  deletionsInProgress: 'ScaleDown',
  scaleDownRequests: 'ScaleDown',
  disruptions: 'ScaleDown',
  unneededTimes: 'ScaleDown',
  consolidationMoves: 'ScaleDown',
  // The timers of unneeded nodes go by it.
  lastEvaluation: 'ScaleDown',
  recentEvictions: 'Drains',
  lastScaleDownDelete: 'Drains',
  lastScaleDownFailure: 'Drains',
};

/** The state before an evaluation, with the fields that are this evaluation's as they are after it; every list is in order. */
export const ownPart = (evaluation: Evaluation, before: State, after: State): State =>
  orderedState({
    ...fieldsOf(before, (owner) => owner !== evaluation),
    ...fieldsOf(after, (owner) => owner === evaluation),
  });

/** A field that is absent is one of its owner's too. */
const fieldsOf = (state: State, which: (owner: Evaluation | 'Drains') => boolean): State =>
  Object.fromEntries(
    Object.entries(state).filter(([field]) => which(OWNERS[field as keyof State])),
  ) as unknown as State;
