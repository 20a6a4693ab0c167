import type { Evaluation } from './decision.ts';
import { orderedState, type State } from './state.ts';

/**
 * The evaluation that writes each field of the state. The other evaluation leaves the field as it was, so that each
 * evaluation can be decided and committed without the other.
 *
 * `Drains`: the results of drains. No evaluation decides them; both take them over from the drains (`settleDrains`),
 * with the same result in both, and do so for deletionsInProgress, scaleDownRequests, unremovableUntil and the times of
 * `groups` too, before anything is evaluated.
 */
const OWNERS: Readonly<Record<keyof State, Evaluation | 'Drains'>> = {
  unregisteredSince: 'ScaleUp',
  backoff: 'ScaleUp',
  scaleUpRequests: 'ScaleUp',
  reservations: 'ScaleUp',
  reservedPacking: 'ScaleUp',
  incorrectSize: 'ScaleUp',
  seenSizes: 'ScaleUp',
  seenErrors: 'ScaleUp',
  shortages: 'ScaleUp',
  repairBackoff: 'ScaleUp',
  lastScaleUp: 'ScaleUp',
  lastScaleUpEvaluation: 'ScaleUp',
  lastNotification: 'ScaleUp',
  deferredPods: 'ScaleUp',
  pausedSince: 'ScaleUp',
  pausesInForce: 'ScaleUp',
  // Derived from the decision; its commit adds the problems.
  problems: 'ScaleUp',
  // Scale-up writes `lastScaleUp`; the drains write the other times of a group.
  groups: 'ScaleUp',
  monthCosts: 'ScaleUp',
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

/** The state before an evaluation, with the evaluation's own fields as they are after it; every list is in order. */
export const ownPart = (evaluation: Evaluation, before: State, after: State): State =>
  orderedState({
    ...fieldsOf(before, (owner) => owner !== evaluation),
    ...fieldsOf(after, (owner) => owner === evaluation),
  });

/** An absent field belongs to its owner, too. */
const fieldsOf = (state: State, which: (owner: Evaluation | 'Drains') => boolean): State =>
  Object.fromEntries(
    Object.entries(state).filter(([field]) => which(OWNERS[field as keyof State])),
  ) as unknown as State;
