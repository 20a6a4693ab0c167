import type { State } from '../model/state.ts';
import { type EpochMs, minutes } from '../model/values/time.ts';

/** Ticks are a minute apart. After a longer gap than this, the cluster may have needed its nodes meanwhile. */
const LONGEST_GAP = minutes(5);

/**
 * The state without the clocks of unneeded nodes where they ran without evaluations: these nodes may have been needed
 * meanwhile. After an outage, or with a table that was restored, they start anew, as Cluster Autoscaler's do when it
 * is started.
 */
export const withWatchedClocks = (state: State, now: EpochMs): State =>
  state.lastEvaluation !== null && now - state.lastEvaluation > LONGEST_GAP ? { ...state, unneededSince: {} } : state;
