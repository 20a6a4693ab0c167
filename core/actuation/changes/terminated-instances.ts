import type { InstanceId } from '../../model/values/names.ts';
import { heldInstances, type Instance, type NodeGroup } from '../../model/node-group.ts';
import type { Drain, StoredDrain } from '../../model/drain.ts';
import type { Intent } from '../../model/intent.ts';

/** The instances of a group whose end drains have asked for. */
export interface TerminatedInstances {
  /** The cloud has agreed, as far as is known: the group's target is lower by each of these. */
  readonly ended: ReadonlySet<InstanceId>;
  /** Number of ended instances that the cloud's list still shows as staying. */
  readonly shown: number;
  /**
   * The instances that the cloud's list no longer shows as staying, among `ended` and those for which the cloud has not
   * answered yet.
   */
  readonly seenToEnd: ReadonlySet<InstanceId>;
}

/**
 * @param decided what has been decided about the group and may not be shown yet. A size that was decided without an instance
 *   tells that its end had been seen by then, though its drain may not know yet that the cloud has agreed.
 */
export function terminatedInstances(
  group: NodeGroup,
  drains: readonly StoredDrain[],
  decided: readonly Intent[],
): TerminatedInstances {
  const sizes = decided.filter((intent) => intent.kind === 'SetSize');
  const without = new Set(sizes.flatMap(({ drained }) => drained));
  const ended = new Set<InstanceId>();
  const seenToEnd = new Set<InstanceId>();
  const held = new Set(heldInstances(group).map(({ id }) => id));
  for (const { drain } of drains) {
    if (drain.group !== group.name || drain.phase === 'RolledBack') {
      continue;
    }
    const agreed =
      drain.phase === 'AwaitingTermination' ||
      drain.phase === 'Removed' ||
      (isAsked(drain) && without.has(drain.instance));
    if (agreed) {
      ended.add(drain.instance);
    }
    if ((agreed || drain.terminateAskedAt !== null) && !held.has(drain.instance)) {
      seenToEnd.add(drain.instance);
    }
  }
  return { ended, seenToEnd, shown: ended.intersection(held).size };
}

/**
 * The termination was requested, and the cloud has not answered yet. An instance that the cloud itself ends may be
 * replaced.
 */
const isAsked = ({ phase, terminateAskedAt, notice }: Drain): boolean =>
  phase === 'Terminating' && terminateAskedAt !== null && notice === undefined;

/**
 * A group without the instances that drains have ended, where the cloud's list still shows them in it: a description
 * may be older than the termination, and so its target. An instance counted as running would be taken for its own
 * replacement.
 */
export function withoutEnded(group: NodeGroup, { ended, shown }: TerminatedInstances): NodeGroup {
  if (shown === 0) {
    return group;
  }
  return {
    ...group,
    targetSize: Math.max(group.minSize, group.targetSize - shown),
    instances: asEnding(group.instances, ended),
  };
}

/** The instances, of which the cloud is ending some. */
export const asEnding = (instances: readonly Instance[], some: ReadonlySet<InstanceId>): readonly Instance[] =>
  instances.map((instance) => (some.has(instance.id) ? { ...instance, state: 'Deleting' } : instance));
