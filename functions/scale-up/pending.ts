import type { InstanceId } from '../../core/model/names.ts';
import { heldInstances, type Instance, isPlaceholder, type NodeGroup } from '../../core/model/node-group.ts';
import type { Intent, PersistedCluster } from '../../core/model/ports.ts';
import type { EpochMs } from '../../core/model/time.ts';
import { isOvertaken } from '../actuate/overtaken.ts';
import { inOrder } from '../actuate/queue.ts';

/**
 * A group as it will be when what was decided before is done: nothing is to be decided twice. Sizes follow each other;
 * one that was decided from another size than the group has by then will be refused, and is passed over. Machines that
 * are to be ended are on their way out; at the minimum they are replaced, or left alone. Of those that could not be
 * launched, as many are given up as a smaller size leaves out.
 *
 * What has only just been done is added where the cloud's list does not show it yet; what a failure of the group has
 * overtaken will not be done.
 *
 * @param endedYetShown so many machines have been taken off the target, since drains have ended them, though the cloud's list
 *   shows them: a size that has only just been set may have been set before that.
 */
export function withPending(
  group: NodeGroup,
  { intents, state }: Pick<PersistedCluster, 'intents' | 'state'>,
  now: EpochMs,
  endedYetShown = 0,
): NodeGroup {
  const own = intents.filter(
    (intent) =>
      intent.group === group.name &&
      (intent.status === 'pending' ? !isOvertaken(intent, state) : isJustDone(intent, now)),
  );
  if (own.length === 0) {
    return group;
  }
  const held = new Set(heldInstances(group).map(({ id }) => id));
  const ending = new Set<InstanceId>();
  let target = group.targetSize;
  let givenUp = 0;
  for (const intent of own.toSorted(inOrder)) {
    if (intent.kind === 'RemoveNodes') {
      // A group keeps its size until a drain has come to its end.
      continue;
    }
    if (intent.kind === 'SetSize') {
      const endedAfter = intent.from - target;
      if (endedAfter >= 0 && endedAfter <= (intent.status === 'done' ? endedYetShown : 0)) {
        target = intent.to - endedAfter;
        givenUp += Math.max(0, intent.from - intent.to);
      }
      continue;
    }
    for (const id of intent.instances) {
      const lowers = target > group.minSize;
      if (held.has(id) && !ending.has(id) && (lowers || intent.force)) {
        ending.add(id);
        target -= lowers ? 1 : 0;
      }
    }
  }
  return {
    ...group,
    targetSize: target,
    instances: withoutLast(givenUp, group.instances).map((instance) =>
      ending.has(instance.id) ? { ...instance, state: 'Deleting' } : instance,
    ),
  };
}

/** The instances without so many placeholders, those with the highest numbers: the others keep theirs. */
function withoutLast(count: number, instances: readonly Instance[]): readonly Instance[] {
  const placeholders = instances.filter(({ id }) => isPlaceholder(id));
  const gone = new Set(placeholders.slice(Math.max(0, placeholders.length - count)));
  return instances.filter((instance) => !gone.has(instance));
}

/**
 * Done so lately that a description of the group may not show it: AWS' are eventually consistent. The claim under which
 * it was done is the measure of that, for it is longer than any such delay.
 */
export const isJustDone = ({ kind, status, claimedUntil }: Intent, now: EpochMs): boolean =>
  kind !== 'RemoveNodes' && status === 'done' && claimedUntil !== null && claimedUntil > now;
