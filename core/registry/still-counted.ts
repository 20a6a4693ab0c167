import type { NodeGroup } from '../model/node-group.ts';
import type { State } from '../model/state.ts';

/**
 * The number of instances on their way out that the group's target still speaks of: ending one takes the target down at
 * once.
 */
export function stillCounted({ name, instances }: NodeGroup, underWay: State['deletionsInProgress']): number {
  const there = new Set(instances.flatMap(({ node, state: of }) => (of === 'Deleting' || node === null ? [] : node)));
  return underWay.filter(({ group, node }) => group === name && there.has(node)).length;
}
