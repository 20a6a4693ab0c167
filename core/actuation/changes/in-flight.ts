import type { InstanceId } from '../../model/values/names.ts';
import { heldInstances, type NodeGroup } from '../../model/node-group.ts';
import type { Intent, PersistedCluster, SetSizeIntent } from '../../model/intent.ts';
import type { StoredDrain } from '../../model/drain.ts';
import type { EpochMs } from '../../model/values/time.ts';
import { isSuperseded } from '../superseded.ts';
import { hasReturned, type NodeUids } from '../../model/returned-instance.ts';
import { inIntentOrder } from '../intent-order.ts';
import { terminatedInstances, type TerminatedInstances, withoutEnded } from './terminated-instances.ts';

/**
 * A group as it will be when what was decided before is done: nothing is to be decided twice. Sizes follow each other;
 * one that was decided from another size than the group has by then will be refused, and is passed over. Instances that
 * are to be ended are on their way out; at the minimum they are replaced, or left alone. A smaller size drops as many
 * failed launches as it leaves out, and `beingLowered` says what it leaves out until it is set; `beingRaised` says what is added.
 *
 * What has only just been done is added where the cloud's list does not show it yet; what a failure of the group has
 * overtaken will not be done, and an instance that has become a node meanwhile will not be ended. Instances that drains
 * have ended are taken off where the list still shows them, unless they have come back from the group's warm pool.
 *
 * @param registered the nodes that are there.
 */
export function withPending(
  group: NodeGroup,
  stored: Pick<PersistedCluster, 'intents' | 'state'> & { readonly drains: readonly StoredDrain[] },
  now: EpochMs,
  registered: NodeUids = new Map(),
): NodeGroup {
  const { intents, state } = stored;
  const drains = stored.drains.filter((drain) => !hasReturned(drain, group, now, registered));
  const own = intents
    .filter(
      (intent) =>
        intent.group === group.name &&
        (intent.status === 'pending' ? !isSuperseded(intent, state) : isJustDone(intent, now)),
    )
    .toSorted(inIntentOrder);
  const terminated = terminatedInstances(group, drains, own);
  const remaining = withoutEnded(group, terminated);
  if (own.length === 0) {
    return remaining;
  }
  const held = new Set(heldInstances(remaining).map(({ id }) => id));
  const nodes = new Set(
    remaining.instances.flatMap(({ id, node, error }) =>
      node !== null && error === null && registered.has(node) ? [id] : [],
    ),
  );
  const stillShown = heldInstances(group).filter(({ id }) => terminated.ended.has(id)).length;
  const ending = new Set<InstanceId>();
  let target = group.targetSize - stillShown;
  let givenUp = 0;
  let beingLowered = 0;
  let raisedSince: EpochMs | null = null;
  for (const [place, intent] of own.entries()) {
    if (intent.kind === 'RemoveNodes') {
      // A group keeps its size until a drain has come to its end.
      continue;
    }
    if (intent.kind === 'SetSize') {
      const endedSince = intent.status === 'done' ? endedAfter(intent, own.slice(place + 1), terminated, group) : 0;
      if (endedSince !== 'shown' && target === intent.from - endedSince) {
        target = intent.to - endedSince;
        givenUp += Math.max(0, intent.from - intent.to);
        beingLowered += intent.status === 'pending' ? Math.max(0, intent.from - intent.to) : 0;
        raisedSince = intent.status === 'pending' && intent.to > intent.from ? intent.createdAt : raisedSince;
      }
      continue;
    }
    for (const id of intent.instances) {
      const lowers = target > group.minSize;
      const spared = intent.status === 'pending' && nodes.has(id);
      if (held.has(id) && !ending.has(id) && !spared && (lowers || intent.force)) {
        ending.add(id);
        target -= lowers ? 1 : 0;
        beingLowered += lowers && intent.status === 'pending' ? 1 : 0;
      }
    }
  }
  const more = target - group.targetSize + stillShown;
  return {
    ...remaining,
    targetSize: stillShown === 0 ? target : Math.max(group.minSize, target),
    beingLowered: beingLowered || undefined,
    beingRaised: raisedSince !== null && more > 0 ? { nodes: more, since: raisedSince } : undefined,
    instances: remaining.instances.map((instance) =>
      ending.has(instance.id) ? { ...instance, state: 'Deleting' } : instance,
    ),
    // The first failures keep their IDs, by which an evaluation recognizes failures that it has answered.
    launchFailures: remaining.launchFailures.slice(0, Math.max(0, remaining.launchFailures.length - givenUp)),
  };
}

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
  if ([...seenToEnd].some((id) => !before.has(id))) {
    return 'shown';
  }
  const staying = new Set(heldInstances(group).map(({ id }) => id));
  const deleted = later.flatMap((intent) =>
    intent.kind === 'DeleteInstances' && intent.status === 'done' ? intent.instances : [],
  );
  return deleted.some((id) => !staying.has(id)) ? 'shown' : [...ended].filter((id) => !before.has(id)).length;
}

/** Done so lately that a description of the group may not show it: AWS' descriptions are eventually consistent. */
export const isJustDone = ({ kind, status, claimedUntil }: Intent, now: EpochMs): boolean =>
  kind !== 'RemoveNodes' && status === 'done' && claimedUntil !== null && claimedUntil > now;
