import { valueOf } from '../../model/values/records.ts';
import { isOutdated } from '../intent-age.ts';
import { evictedPod } from '../../drain/evicted-pod.ts';
import type { Removals } from '../../notices/due.ts';
import { newDrain } from '../../drain/new-drain.ts';
import { type Drain, hasEnded, type StoredDrain } from '../../model/drain.ts';
import { byName, type GroupName, type NodeName } from '../../model/values/names.ts';
import type { Options } from '../../model/options.ts';
import { keyOf, type Pod } from '../../model/cluster/pod.ts';
import { pendingRemovals, type RemoveNodesIntent } from '../../model/intent.ts';
import { mapOptional } from '../../model/values/optional.ts';
import { sortedBy, sortedRecord } from '../../model/values/sorted.ts';
import {
  type DeletionInProgress,
  type GroupTimes,
  NO_GROUP_TIMES,
  type ScaleDownRequest,
  type State,
  STATE_ORDER,
} from '../../model/state.ts';
import { addTime, type EpochMs, epochMs, minutes } from '../../model/values/time.ts';

/** So long does an instance that was ended stay in the cloud's list. */
const GONE_AFTER = minutes(5);
/** A pod that has not been created again by then will not be. */
const RECREATED_WITHIN = minutes(10);

/**
 * Takes the results of earlier removals over into the state. The drains in the store are the truth: the state's list of
 * deletions in progress is made to agree with them, and with drains that are still to be started. Nothing is lost or
 * counted twice when this is done again with the same drains.
 *
 * @param removals drains, and known intents; pending ones may name nodes whose drains are not in the store yet.
 */
export function settleDrains(state: State, { drains, intents }: Removals, options: Options, now: EpochMs): State {
  const removals = pendingRemovals(intents);
  if (
    drains.length === 0 &&
    removals.length === 0 &&
    state.deletionsInProgress.length === 0 &&
    state.recentEvictions.length === 0
  ) {
    return state;
  }
  const all = drains.map(({ drain }) => drain);
  // A node that is freed again stays, and so do its pods, however long the rollback takes: other drains may have its
  // slot.
  const live = new Map(
    all.filter((drain) => !hasEnded(drain) && drain.phase !== 'RollingBack').map((drain) => [drain.node, drain]),
  );
  // An intent is done once all of its drains are stored and driven; some drains may be over by then.
  const begun = new Set(all.map(({ id }) => id));
  const toBegin = removals.flatMap(drainsOf).filter(({ id }) => !begun.has(id));
  const starting = new Set(toBegin.map(({ node }) => node));
  const kept = state.deletionsInProgress.filter(({ node }) => live.has(node) || starting.has(node));
  const known = new Set(kept.map(({ node }) => node));
  // A lost state finds its drains again, and drains that are still to begin, unless these are too old.
  const startable = toBegin.filter((drain) => !isOutdated(drain, now));
  const underWay = new Map([...startable, ...live.values()].map((drain) => [drain.node, drain]));
  const found = [...underWay.values()].filter(({ node }) => !known.has(node)).map(asDeletion);
  const ends = all.flatMap((drain) => mapOptional(drain.outcome, (outcome) => ({ drain, ...outcome })) ?? []);
  const removed = ends.filter(({ kind }) => kind === 'removed');
  // Another delay begins with each removal, and with its end: a drain may take longer than `scaleDownDelayAfterDelete`.
  const begunAt = [...underWay.values()].map((drain) => ({ drain, at: drain.createdAt }));
  const deletes = [...removed, ...begunAt];
  const failed = ends.filter((end) => end.kind === 'rolledBack');
  const blamed = failed.filter(({ failure }) => failure !== 'Gone');
  const recheck = options.unremovableNodeRecheckTimeout;
  const unremovableUntil = failed
    .map(({ drain, at }) => [drain.node, addTime(hasEnded(drain) ? at : now, recheck)] as const)
    .filter(([, until]) => until > now)
    .map(([node, until]) => [node, latest(valueOf(state.unremovableUntil, node), until)] as const);
  return {
    ...state,
    deletionsInProgress: sortedBy([...kept, ...found], ({ node }) => node),
    scaleDownRequests: requestsAfter(state.scaleDownRequests, new Set([...live.keys(), ...starting]), removed, now),
    recentEvictions: recentEvictions(all, now),
    unremovableUntil: sortedRecord([
      ...(Object.entries(state.unremovableUntil) as [NodeName, EpochMs][]),
      ...unremovableUntil,
    ]),
    lastScaleDownDelete: deletes.reduce((last, { at }) => latest(last, at), state.lastScaleDownDelete),
    lastScaleDownFailure: blamed.reduce((last, { at }) => latest(last, at), state.lastScaleDownFailure),
    groups: groupTimes(state, deletes, blamed),
  };
}

/** Ended drains that the state has taken into account and that have no effect any more. */
export const forgettable = (drains: readonly StoredDrain[], now: EpochMs): readonly string[] =>
  drains
    .map(({ drain }) => drain)
    .filter((drain) => hasEnded(drain) && now - drain.phaseSince > RECREATED_WITHIN)
    .map(({ id }) => id);

/** The drains that a removal stores when it begins. */
const drainsOf = (removal: RemoveNodesIntent): readonly Drain[] =>
  removal.nodes.map((node) => newDrain(removal, node, removal.createdAt));

const asDeletion = ({ node, group, kind, createdAt }: Drain): DeletionInProgress => ({
  node,
  group,
  kind,
  since: createdAt,
});

const latest = (known: EpochMs | null | undefined, time: EpochMs): EpochMs => epochMs(Math.max(known ?? time, time));

interface EndedDrain {
  readonly drain: Drain;
  readonly at: EpochMs;
}

/**
 * A terminating instance is expected to be gone so long after its termination; an instance that stays is expected to
 * stay.
 */
function requestsAfter(
  requests: readonly ScaleDownRequest[],
  underWay: ReadonlySet<NodeName>,
  removed: readonly EndedDrain[],
  now: EpochMs,
): readonly ScaleDownRequest[] {
  const ended = new Map(
    removed.map(({ drain: { group, node, createdAt: time }, at }): [NodeName, ScaleDownRequest] => [
      node,
      { group, node, time, expectedDeleteTime: addTime(at, GONE_AFTER) },
    ]),
  );
  return sortedBy(
    [
      ...requests.filter(({ node }) => underWay.has(node) && !ended.has(node)),
      ...ended.values().filter(({ expectedDeleteTime }) => expectedDeleteTime > now),
    ],
    STATE_ORDER.scaleDownRequests,
  );
}

function recentEvictions(drains: readonly Drain[], now: EpochMs): readonly Pod[] {
  const pods = new Map<string, Pod>();
  for (const { evictions } of drains) {
    for (const { uid, manifest, evictedAt, abridged } of evictions) {
      if (evictedAt === null || now - evictedAt > RECREATED_WITHIN || abridged !== undefined) {
        continue;
      }
      // Drains that an older version has stored hold whole manifests.
      const kept = evictedPod(manifest);
      if (kept.abridged === undefined) {
        pods.set(uid, kept.manifest);
      }
    }
  }
  return [...pods.values()].toSorted((a, b) => byName(keyOf(a), keyOf(b)) || byName(a.uid, b.uid));
}

function groupTimes(state: State, deletes: readonly EndedDrain[], failed: readonly EndedDrain[]): State['groups'] {
  const groups = new Map(Object.entries(state.groups) as [GroupName, GroupTimes][]);
  const note = (field: 'lastScaleDownDelete' | 'lastScaleDownFailure', { drain: { group }, at }: EndedDrain): void => {
    const times = groups.get(group) ?? NO_GROUP_TIMES;
    groups.set(group, { ...times, [field]: latest(times[field], at) });
  };
  deletes.forEach((one) => note('lastScaleDownDelete', one));
  failed.forEach((one) => note('lastScaleDownFailure', one));
  return sortedRecord(groups);
}
