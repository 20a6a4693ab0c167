import { heldInstances, type NodeGroup } from '../model/node-group.ts';
import type { ClusterObjects } from '../model/scenario.ts';
import { nodesBeingRemoved, type State } from '../model/state.ts';
import type { NodeName } from '../model/values/names.ts';

/**
 * Nodes that still exist though their instances have been terminated: pods on such nodes end with the instances. A Node
 * that was created since only has the name of one that is gone.
 */
export function endedNodes(
  { nodes }: Pick<ClusterObjects, 'nodes'>,
  state: Pick<State, 'scaleDownRequests' | 'deletionsInProgress'>,
): ReadonlySet<NodeName> {
  const underWay = nodesBeingRemoved(state);
  const ended = state.scaleDownRequests.filter(({ node }) => !underWay.has(node));
  const times = new Map(ended.map(({ node, time }) => [node, time]));
  const left = nodes.filter(({ name, createdAt }) => {
    const time = times.get(name);
    return time !== undefined && createdAt !== null && createdAt < time;
  });
  return new Set(left.map(({ name }) => name));
}

/**
 * The number of instances on their way out that the group's target still speaks of: ending one takes the target down at
 * once.
 */
export function stillCounted(group: NodeGroup, underWay: State['deletionsInProgress']): number {
  const held = new Set(heldInstances(group).map(({ node }) => node));
  return underWay.filter((deletion) => deletion.group === group.name && held.has(deletion.node)).length;
}
