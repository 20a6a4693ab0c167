import type { Node } from './cluster/node.ts';
import type { StoredDrain } from './drain.ts';
import { heldInstances, type NodeGroup } from './node-group.ts';
import type { NodeName } from './values/names.ts';
import { type EpochMs, minutes } from './values/time.ts';

/** Longer than a description of a group is out of date, and than an instance takes to and from the warm pool and back. */
const ON_ITS_WAY = minutes(2);

/** The UIDs of the existing Nodes, by name. */
export type NodeUids = ReadonlyMap<NodeName, string>;

export const nodeUids = (nodes: readonly Node[]): NodeUids => new Map(nodes.map(({ name, uid }) => [name, uid]));

/**
 * Has the instance that a drain has ended come back? A group whose warm pool reuses instances stops those that are ended,
 * and starts them again for a later scale-up: the same instance, and often the same Node object, with the marks of its
 * drain. Then the drain says nothing about it any more.
 *
 * A description that is out of date shows an instance that has ended as running, and its Node is there. So an instance has come
 * back that starts, or whose Node has gone meanwhile; where neither is so, time tells.
 *
 * @param nodes observed before the group; `null`: time alone tells.
 */
export function hasReturned(
  stored: Pick<StoredDrain, 'drain'>,
  group: Pick<NodeGroup, 'name' | 'instances' | 'warmPool'>,
  now: EpochMs,
  nodes: NodeUids | null,
): boolean {
  const { drain } = stored;
  if (group.warmPool?.reuse !== true || drain.group !== group.name || drain.phase !== 'Removed') {
    return false;
  }
  const instance = heldInstances(group).find(({ id }) => id === drain.instance);
  const isSeen = nodes !== null && (instance?.state === 'Creating' || nodes.get(drain.node) !== drain.nodeUid);
  return instance !== undefined && (isSeen || mayHaveReturned(stored, now));
}

/** Was the instance removed so long ago that, if its group still has it, it has been started again? */
export const mayHaveReturned = ({ drain }: Pick<StoredDrain, 'drain'>, now: EpochMs): boolean =>
  drain.phase === 'Removed' && now - drain.phaseSince >= ON_ITS_WAY;
