import { type DurationMs, type EpochMs, minutes } from '../../model/values/time.ts';

/**
 * Limit on the history of a cluster per hour, in bytes as DynamoDB bills their writing. So this bounds the bill of a
 * cluster whose every evaluation says something new (docs/cost.md).
 */
export const HOUR_BYTES = 1024 * 1024;

/** Until how many of the hour's bytes are used up a decision is kept: what is needed least is left out first. */
const MOST = {
  /** The scenario of a decision that orders nothing. */
  scenario: (HOUR_BYTES * 3) / 8,
  /** The scenario of one that does. */
  scenarioOfChange: (HOUR_BYTES * 7) / 8,
  /** A decision alone. */
  decision: HOUR_BYTES,
} as const;

/** Between the scenarios of decisions that order nothing: writing one takes time, and most of them are alike. */
const SAMPLED_EVERY: DurationMs = minutes(10);

/** DynamoDB bills items in whole KB. */
const BILLED = 1024;

/** The bytes that are billed for a decision: its item, that of its scenario (0: none), and the count of the hour's bytes. */
export const billedBytes = (decision: number, scenario: number): number =>
  (Math.ceil(decision / BILLED) + Math.ceil(scenario / BILLED) + 1) * BILLED;

/** The bytes that may have been used up in the hour once a decision is written with or without its scenario. */
export function mostBytes(changes: boolean, withScenario: boolean): number {
  if (withScenario) {
    return changes ? MOST.scenarioOfChange : MOST.scenario;
  }
  return MOST.decision;
}

/** Is a decision's scenario to be kept, where there is room for it? */
export const wantsScenario = (changes: boolean, at: EpochMs, lastSampled: EpochMs | null): boolean =>
  changes || lastSampled === null || at - lastSampled >= SAMPLED_EVERY;

/** The hour that a decision's bytes count in, as its number since 1970. */
export const hourOf = (at: EpochMs): number => Math.floor(at / minutes(60));
