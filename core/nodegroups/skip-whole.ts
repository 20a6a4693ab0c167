import type { SkippedGroup } from '../model/decision.ts';
import type { NodeGroup } from '../model/node-group.ts';
import type { State } from '../model/state.ts';
import { stillCounted } from '../registry/counts.ts';
import type { GroupName } from '../model/values/names.ts';
import { type ClusterLimits, type CountedNode, isCostLimit } from './resource-quotas.ts';

/** The growth of a group to its maximum. */
interface WholeGrowth {
  readonly group: NodeGroup;
  /** The size of the group after the decisions taken so far. */
  readonly size: number;
  readonly node: CountedNode;
}

/**
 * Why a group that is all or nothing (`zeroOrMaxNodeScaling`) cannot be raised to its maximum; `null` when it can. It is not
 * raised to a part of it.
 *
 * @param limits what the decisions taken so far leave of the limits of the cluster.
 */
export function skipWhole(
  { group, size, node }: WholeGrowth,
  limits: Pick<ClusterLimits, 'room' | 'exceededBy'>,
  { deletionsInProgress }: Pick<State, 'deletionsInProgress'>,
): SkippedGroup | null {
  if (stillCounted(group, deletionsInProgress) > 0) {
    // If the group were raised to its maximum now, it would have only a part of it as soon as these nodes are gone.
    return { group: group.name, reason: 'BeingRemoved' };
  }
  const wanted = group.maxSize - size;
  if (limits.room(node) >= wanted) {
    return null;
  }
  return limitSkip(
    group.name,
    limits.exceededBy(node, wanted),
    wanted === 1 ? '' : `, as all ${wanted} nodes come or none`,
  );
}

/** A group that limits of the cluster, or a limit of its cost, keep from growing. */
export const limitSkip = (group: GroupName, limits: readonly string[], details = ''): SkippedGroup => ({
  group,
  reason: limits.some(isCostLimit) ? 'MaxCostPerHourReached' : 'ResourceLimitExceeded',
  message: `${limits.join(', ')}${details}`,
});
