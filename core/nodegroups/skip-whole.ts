import type { SkippedGroup } from '../model/decision.ts';
import type { NodeGroup } from '../model/node-group.ts';
import type { State } from '../model/state.ts';
import { stillCounted } from '../registry/still-counted.ts';
import type { ClusterLimits, Shapes } from './resource-quotas.ts';

/**
 * Why a group that is all or nothing (`zeroOrMaxNodeScaling`) cannot be raised to its maximum; `null` when it can. It is not
 * raised to a part of it.
 *
 * @param size what the group will have after the decisions taken so far.
 * @param limits what these leave of the limits of the cluster.
 */
export function skipWhole(
  group: NodeGroup,
  size: number,
  node: Shapes,
  limits: Pick<ClusterLimits, 'room' | 'exceededBy'>,
  { deletionsInProgress }: Pick<State, 'deletionsInProgress'>,
): SkippedGroup | null {
  if (stillCounted(group, deletionsInProgress) > 0) {
    // Raised to its maximum now, it would have a part of it as soon as these have gone.
    return { group: group.name, reason: 'BeingRemoved' };
  }
  const wanted = group.maxSize - size;
  if (limits.room(node) >= wanted) {
    return null;
  }
  const exceeded = limits.exceededBy(node, wanted).join(', ');
  const message = wanted === 1 ? exceeded : `${exceeded}, as all ${wanted} nodes come or none`;
  return { group: group.name, reason: 'ResourceLimitExceeded', message };
}
