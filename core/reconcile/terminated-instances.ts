import type { InstanceId } from '../model/values/names.ts';
import { heldInstances, type NodeGroup } from '../model/node-group.ts';
import type { StoredDrain } from '../model/drain.ts';

/** The instances of a group whose end drains have asked for. */
export interface TerminatedInstances {
  /** The cloud has agreed: the group's target is lower by each of these. */
  readonly ended: ReadonlySet<InstanceId>;
  /**
   * Of those, and of those for which the cloud has not answered yet, the ones that the cloud's list shows no more as
   * staying.
   */
  readonly seenToEnd: ReadonlySet<InstanceId>;
}

export function terminatedInstances(group: NodeGroup, drains: readonly StoredDrain[]): TerminatedInstances {
  const ended = new Set<InstanceId>();
  const seenToEnd = new Set<InstanceId>();
  const held = new Set(heldInstances(group).map(({ id }) => id));
  for (const { drain } of drains) {
    if (drain.group !== group.name || drain.phase === 'RolledBack') {
      continue;
    }
    const agreed = drain.phase === 'AwaitingTermination' || drain.phase === 'Removed';
    if (agreed) {
      ended.add(drain.instance);
    }
    if ((agreed || drain.terminateAskedAt !== null) && !held.has(drain.instance)) {
      seenToEnd.add(drain.instance);
    }
  }
  return { ended, seenToEnd };
}

/**
 * A group without the instances that drains have ended, where the cloud's list still shows them in it: a description
 * may be older than the end, and then its target is so as well. Counted as running, it would be taken for the instance
 * that replaces it.
 */
export function withoutEnded(group: NodeGroup, drains: readonly StoredDrain[]): NodeGroup {
  const { ended } = terminatedInstances(group, drains);
  const shown = heldInstances(group).filter(({ id }) => ended.has(id)).length;
  return shown === 0
    ? group
    : {
        ...group,
        targetSize: Math.max(group.minSize, group.targetSize - shown),
        instances: group.instances.map((instance) =>
          ended.has(instance.id) ? { ...instance, state: 'Deleting' } : instance,
        ),
      };
}
