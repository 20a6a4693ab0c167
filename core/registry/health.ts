import type { NodeCounts } from '../model/decision.ts';
import type { NodeGroup } from '../model/node-group.ts';
import type { Options } from '../model/options.ts';
import { givenUp, type GroupCounts } from './counts.ts';

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
