import type { NodeGroup } from '../../core/model/node-group.ts';
import type { StoredDrain } from '../../core/model/ports.ts';

/**
 * A group without the machines that drains have ended, where the cloud's list still shows them in it: a description may be
 * older than the end, and then its target is so as well. Whoever took such a machine for one that stays would take the one
 * that is bought next for the one that was ended.
 */
export function withoutEnded(group: NodeGroup, drains: readonly StoredDrain[]): NodeGroup {
  const ended = new Set(
    drains.flatMap(({ drain: { phase, instance } }) => (phase === 'Verifying' || phase === 'Removed' ? instance : [])),
  );
  const shown = group.instances.filter(({ id, state }) => state !== 'Deleting' && ended.has(id)).length;
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
