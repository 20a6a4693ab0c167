import type { InstanceId } from '../../model/values/names.ts';
import { heldInstances, type NodeGroup } from '../../model/node-group.ts';
import type { Intent, PersistedCluster, SetSizeIntent } from '../../model/intent.ts';
import type { StoredDrain } from '../../model/drain.ts';
import type { EpochMs } from '../../model/values/time.ts';
import { isSuperseded } from '../superseded.ts';
import { hasReturned, type NodeUids } from '../../model/returned-instance.ts';
import { inIntentOrder } from '../intent-order.ts';
import { asEnding, terminatedInstances, type TerminatedInstances, withoutEnded } from './terminated-instances.ts';

/**
 * A group as it will be when what was decided before is done: nothing is to be decided twice. Sizes follow each other;
 * one that was decided from another size than the group has by then will be refused, and is passed over. Instances that
 * are to be ended are on their way out; at the minimum they are replaced, or left alone. A smaller size drops as many
 * failed launches as it leaves out, and `pendingDecrease` says what it leaves out until it is set; `pendingIncrease` says what is added.
 *
 * What has only just been done is added where the cloud's list does not show it yet; what a failure of the group has
 * overtaken will not be done, and an instance that has become a node meanwhile will not be ended. Instances that drains
 * have ended are taken off where the list still shows them, unless they have come back from the group's warm pool.
 *
 * @param registered the nodes that are there.
 */
export function withInFlightChanges(
  group: NodeGroup,
  stored: Pick<PersistedCluster, 'intents' | 'state'> & { readonly drains: readonly StoredDrain[] },
  now: EpochMs,
  registered: NodeUids = new Map(),
): NodeGroup {
  const drains = stored.drains.filter((drain) => !hasReturned(drain, group, now, registered));
  const own = openIntents(group, stored, now);
  const terminated = terminatedInstances(group, drains, own);
  const remaining = withoutEnded(group, terminated);
  if (own.length === 0) {
    return remaining;
  }
  const held = new Set(heldInstances(remaining).map(({ id }) => id));
  const nodes = new Set(
    remaining.instances
      .filter(({ node, error }) => node !== null && error === null && registered.has(node))
      .map(({ id }) => id),
  );
  const { shown: stillShown } = terminated;
  const ending = new Set<InstanceId>();
  let target = group.targetSize - stillShown;
  let givenUp = 0;
  let pendingDecrease = 0;
  let raisedSince: EpochMs | null = null;
  for (const [place, intent] of own.entries()) {
    if (intent.kind === 'RemoveNodes') {
      // A group keeps its size until a drain has come to its end.
      continue;
    }
    const isPending = intent.status === 'pending';
    if (intent.kind === 'SetSize') {
      const endedSince = isPending ? 0 : endedAfter(intent, own.slice(place + 1), terminated, group);
      if (endedSince !== 'shown' && target === intent.from - endedSince) {
        const fewer = Math.max(0, intent.from - intent.to);
        target = intent.to - endedSince;
        givenUp += fewer;
        if (isPending) {
          pendingDecrease += fewer;
          raisedSince = intent.to > intent.from ? intent.createdAt : raisedSince;
        }
      }
      continue;
    }
    for (const id of intent.instances) {
      const lowers = target > group.minSize;
      const spared = isPending && nodes.has(id);
      if (held.has(id) && !spared && (lowers || intent.force)) {
        held.delete(id);
        ending.add(id);
        target -= Number(lowers);
        pendingDecrease += Number(lowers && isPending);
      }
    }
  }
  const more = target - group.targetSize + stillShown;
  return {
    ...remaining,
    targetSize: stillShown === 0 ? target : Math.max(group.minSize, target),
    pendingDecrease: pendingDecrease || undefined,
    pendingIncrease: raisedSince !== null && more > 0 ? { nodes: more, since: raisedSince } : undefined,
    instances: asEnding(remaining.instances, ending),
    // The first failures keep their IDs, by which an evaluation recognizes failures that it has answered.
    launchFailures: remaining.launchFailures.slice(0, Math.max(0, remaining.launchFailures.length - givenUp)),
  };
}

/** The intents of a group that are pending, or of which the group may not show the result, in their order. */
const openIntents = (
  { name }: NodeGroup,
  { intents, state }: Pick<PersistedCluster, 'intents' | 'state'>,
  now: EpochMs,
): readonly Intent[] =>
  intents
    .filter(({ group }) => group === name)
    .filter((one) => (one.status === 'pending' && !isSuperseded(one, state)) || isJustDone(one, now))
    .toSorted(inIntentOrder);

/**
 * Number of instances that drains have ended since a size was set, or `shown`: the list shows an end from after the
 * size was set, and so the size as well. Otherwise a size lowered to where it began would seem not to be shown yet.
 *
 * A size is only set while the group has the size that it was decided from, and never while a drain is ending an
 * instance: an ended instance that the decision still counted has ended after the size was set.
 */
function endedAfter(
  { drained }: SetSizeIntent,
  later: readonly Intent[],
  { ended, seenToEnd }: TerminatedInstances,
  group: NodeGroup,
): number | 'shown' {
  const before = new Set(drained);
  if (!seenToEnd.isSubsetOf(before)) {
    return 'shown';
  }
  const staying = new Set(heldInstances(group).map(({ id }) => id));
  const deletions = later.filter((intent) => intent.kind === 'DeleteInstances');
  if (deletions.some(({ status, instances }) => status === 'done' && instances.some((id) => !staying.has(id)))) {
    return 'shown';
  }
  return ended.difference(before).size;
}

/** Done so lately that a description of the group may not show it: AWS' descriptions are eventually consistent. */
export const isJustDone = ({ kind, status, claimedUntil }: Intent, now: EpochMs): boolean =>
  kind !== 'RemoveNodes' && status === 'done' && claimedUntil !== null && claimedUntil > now;
