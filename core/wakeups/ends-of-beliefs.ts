import type { State } from '../model/state.ts';
import { earliestOf, type EpochMs } from '../model/values/time.ts';

/**
 * When the first of the beliefs ends that keep a group from growing, or pods planned on its nodes: a backoff, missing
 * capacity, a repair that could not be made, nodes that are awaited. No event tells of it. `null` where there is none.
 */
export function nextEndOfBelief(
  { backoff, shortages, repairBackoff, scaleUpRequests }: State,
  now: EpochMs,
): EpochMs | null {
  const ends = [
    ...Object.values(backoff).map(({ until }) => until),
    ...shortages.map(({ until }) => until),
    ...Object.values(repairBackoff),
    ...scaleUpRequests.map(({ expectedAddTime }) => expectedAddTime),
  ].filter((end) => end > now);
  return earliestOf(ends);
}
