import type { State } from '../model/state.ts';
import { type DurationMs, type EpochMs, minutes } from '../model/values/time.ts';
import { withLostScans } from './lost-scans.ts';

/** After a longer gap than this, and than a few lost scans, the cluster may have needed its nodes meanwhile. */
const LONGEST_GAP = minutes(5);

/**
 * The state without the clocks of unneeded nodes where they ran without evaluations: these nodes may have been needed
 * meanwhile. After an outage, or with a table that was restored, they start anew, as Cluster Autoscaler's do when it
 * is started.
 *
 * @param scanInterval time between evaluations that no event causes
 */
export function withPausedTimers(state: State, scanInterval: DurationMs, now: EpochMs): State {
  const { lastEvaluation } = state;
  const longest = withLostScans(LONGEST_GAP, scanInterval);
  return lastEvaluation !== null && now - lastEvaluation > longest ? { ...state, unneededSince: {} } : state;
}
