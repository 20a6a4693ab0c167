import type { GroupReport, NodeCounts } from '../model/decision.ts';
import type { NodeGroup } from '../model/node-group.ts';
import type { Options } from '../model/options.ts';
import type { IncorrectSize, ScaleDownRequest, State } from '../model/state.ts';
import type { EpochMs } from '../model/values/time.ts';
import { givenUp, type GroupCounts } from './counts.ts';
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

/**
 * How far a group's registered nodes are from its target, and since when it has been exactly so; `null`: it is right.
 * Instances that are no nodes yet may be missing from the registered ones.
 *
 * Follows `updateIncorrectNodeGroupSizes` of Cluster Autoscaler's clusterstate.go.
 */
export function incorrectSizeOf(
  { targetSize: expected }: NodeGroup,
  { registered: current, unregistered, longUnregistered }: GroupCounts,
  before: IncorrectSize | undefined,
  now: EpochMs,
): IncorrectSize | null {
  if (current <= expected && current >= expected - unregistered.length - longUnregistered.length) {
    return null;
  }
  if (before?.current === current && before.expected === expected) {
    return before;
  }
  return { current, expected, firstObserved: now };
}

/**
 * A group is healthy while few enough of the nodes it should have are missing. Instances that the cloud could not give
 * are none of its nodes' illness: the group is backed off for them. Follows `IsNodeGroupHealthy` of Cluster
 * Autoscaler's clusterstate.go.
 *
 * @param acceptableMin see `acceptableRange`.
 */
export function isGroupHealthy(
  { targetSize }: NodeGroup,
  counts: GroupCounts,
  acceptableMin: number,
  options: Options,
): boolean {
  const { nodes, registered, unregistered, longUnregistered } = counts;
  const seen = nodes.Ready.length + nodes.Unready.length + nodes.NotStarted.length + nodes.Suspended.length;
  const expected = acceptableMin - givenUp(counts);
  if (registered + unregistered.length + longUnregistered.length === 0) {
    // Nothing is there yet: as it should be when nothing was asked for, or all of it only just now.
    return targetSize === 0 || expected <= 0;
  }
  const missing = expected - nodes.Ready.length - nodes.Suspended.length;
  return isAcceptable(missing, seen, options);
}

/**
 * A cluster is healthy while few enough of its nodes are unready; nodes of no group count too. Follows
 * `IsClusterHealthy` of Cluster Autoscaler's clusterstate.go.
 */
export const isClusterHealthy = ({ unready, registered }: NodeCounts, options: Options): boolean =>
  isAcceptable(unready, registered, options);

const isAcceptable = (bad: number, all: number, { okTotalUnreadyCount, maxTotalUnreadyPercentage }: Options): boolean =>
  bad <= okTotalUnreadyCount || bad <= (maxTotalUnreadyPercentage / 100) * all;
