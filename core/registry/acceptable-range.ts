import type { GroupReport } from '../model/decision.ts';
import type { NodeGroup } from '../model/node-group.ts';
import type { ScaleDownRequest, State } from '../model/state.ts';
import type { EpochMs } from '../model/values/time.ts';
import type { GroupCounts } from './counts.ts';
import type { RequestProgress } from './scale-up-request.ts';

/**
 * How many nodes a group may have just now: fewer than its target while instances are awaited or have never become
 * nodes, more while nodes are on their way out.
 *
 * Follows `updateAcceptableRanges` of Cluster Autoscaler's clusterstate.go.
 */
export function acceptableRange(
  { name, targetSize }: NodeGroup,
  { longUnregistered }: GroupCounts,
  progress: RequestProgress,
  scaleDownRequests: readonly ScaleDownRequest[],
): GroupReport['acceptable'] {
  return {
    min: targetSize - longUnregistered.length - (progress.kind === 'open' ? progress.request.increase : 0),
    max: targetSize + scaleDownRequests.filter(({ group }) => group === name).length,
    current: targetSize,
  };
}

/** Removals that may still be under way; Cluster Autoscaler gives each five minutes. */
export const openScaleDownRequests = ({ scaleDownRequests }: State, now: EpochMs): readonly ScaleDownRequest[] =>
  scaleDownRequests.filter(({ expectedDeleteTime }) => expectedDeleteTime > now);
