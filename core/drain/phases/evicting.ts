import { itemAt } from '../../model/values/existing.ts';
import { valueOf } from '../../model/values/records.ts';
import { toleratesDisruption } from '../../scaledown/drainability/tolerates-disruption.ts';
import { addTime, durationMs, epochMs, seconds, type DurationMs, type EpochMs } from '../../model/values/time.ts';
import type { Drain, Eviction } from '../../model/drain.ts';
import { isDaemon, type Pod } from '../../model/cluster/pod.ts';
import { getOptional, mapOptional } from '../../model/values/optional.ts';
import type { DrainEffect } from '../effects.ts';
import { daemonsToEvict } from '../daemons-to-evict.ts';
import { daemonsFollowTheirRank, evictionOrder, rankOf, waitingForStatefulSets } from '../eviction-order.ts';
import { withRequest, evict, newEviction, updated, waitingForVerdict } from '../evictions.ts';
import { evictedEvent, notEvictedEvent } from '../events.ts';
import { DETACH_LIMIT, EVICTION_HEADROOM, evictingLimit, LATE, pollAfter, SHORTEST_WAIT } from '../limits.ts';
import { blockerOfAge, blockerOfEmpty, blockerOfMarked, podBlocks, stopFor } from '../blockers.ts';
import { endingNotice, graceUntil, podsEvictedLast, isAtDeadline, untilDeadline, withHeartbeat } from '../deadline.ts';
import { type DrainFacts, isBack, isOfPod, type PodToEvict } from '../observation.ts';
import { go, rollbackReason, type RollbackReason, type Phase, type DrainProgress, stay, withEffects } from '../step.ts';
import { attachedVolume } from '../volumes.ts';

/**
 * Asks the pods to go, those of the lowest rank first, and waits until they are gone and their volumes detached. Pods
 * that come meanwhile are asked too. DaemonSet pods are asked once everything else is gone, or after the others of their
 * rank where ranks go by priority; they are waited for a little, and keep nothing from going on.
 */
export const evicting: Phase = (given, facts) => {
  const { now, options } = facts;
  const here = new Map(facts.pods.map((pod) => [pod.uid, pod]));
  const evictions = given.evictions.map((eviction) =>
    updated(eviction, valueOf(facts.results.evictions, eviction.uid) ?? null, here.get(eviction.uid) ?? null, facts),
  );
  const events = evictions
    .filter(({ evictedAt }, i) => evictedAt !== null && itemAt(given.evictions, i).evictedAt === null)
    .map(evictedEvent);
  const drain = { ...given, evictions };
  const known = new Map(evictions.map((eviction) => [eviction.uid, eviction]));

  const unmarked = blockerOfMarked(drain, facts);
  if (endingNotice(drain) !== null && unmarked === null) {
    return withEffects(evictInTime(drain, facts, known), events);
  }
  const blocker =
    unmarked ??
    (isResumedInVain(given, facts) ? blockerOfAge(drain, facts) : null) ??
    blockerOfEmpty(drain, facts) ??
    blockerOfPod(facts.moving, known) ??
    overdue(drain, facts, known);
  if (blocker !== null) {
    return withEffects(stopFor(drain, facts, blocker), [...events, ...notEvicted(blocker, known)]);
  }

  const daemons = daemonsToEvict(drain, facts, known);
  const [workloads, together] = [facts.moving.map(({ pod }) => pod), daemonsFollowTheirRank(options)];
  if (workloads.length === 0) {
    const alone = now - lastGone(drain);
    const volume = volumeToDetach(facts, alone);
    if (volume !== null) {
      return withEffects(stay(drain, facts, pollAfter(alone), volume), events);
    }
    if (daemons.length === 0) {
      return go('DeletionDelay', drain, events);
    }
  }
  // DaemonSets' pods of a rank go after its workloads, and do not hold up those of the next.
  const rank = Math.min(...(workloads.length > 0 ? workloads : daemons).map((pod) => rankOf(pod, options)));
  const group = [...workloads, ...(together || workloads.length === 0 ? daemons : [])].filter(
    (pod) =>
      rankOf(pod, options) < rank || (rankOf(pod, options) === rank && (workloads.length === 0 || !isDaemon(pod))),
  );
  return withEffects(requestEvictions(drain, facts, group, known), events);
};

/**
 * Evicts pods where the cloud ends the instance: all pods at once, but pods that a drain rule keeps as late as
 * possible; pods that remain at the deadline end with the instance. A pod that cannot be read is not evicted, and the
 * instance stays until the deadline: the pod may have to move. DaemonSets' pods are left to the end of the instance.
 */
function evictInTime(given: Drain, facts: DrainFacts, known: ReadonlyMap<string, Eviction>): DrainProgress {
  const { now, options, moving } = facts;
  if (isAtDeadline(given, now)) {
    return go('DeletionDelay', given);
  }
  const { drain, effects } = withHeartbeat(given, now);
  if (moving.length > 0) {
    const held = podsEvictedLast(drain, moving, options, now);
    const due = moving.map(({ pod }) => pod).filter(({ uid }) => !held.has(uid));
    return withEffects(untilDeadline(drain, requestEvictions(drain, facts, due, known)), effects);
  }
  const alone = now - lastGone(drain);
  const waitsFor = volumeToDetach(facts, alone) ?? unreadablePod(facts);
  if (waitsFor === null) {
    return go('DeletionDelay', drain);
  }
  return withEffects(untilDeadline(drain, stay(drain, facts, pollAfter(alone), waitsFor)), effects);
}

/** The volume that is waited for, in words. @param alone how long no pod has been there that has to move */
function volumeToDetach(facts: DrainFacts, alone: number): string | null {
  if (alone >= DETACH_LIMIT) {
    return null;
  }
  return mapOptional(attachedVolume(facts), (volume) => `volume ${volume} is still attached`);
}

/** The pod that may have to move, and cannot be asked, in words. */
const unreadablePod = ({ unreadable }: DrainFacts): string | null =>
  mapOptional(unreadable.find(isOfPod), (problem) => `a pod on it cannot be read: ${problem}`) ?? null;

/**
 * No step was made for a while, and no pod has gone: the driver may have died before its first eviction request. A
 * driver that was alive all the time has its own limits.
 */
const isResumedInVain = ({ nextAt, evictions }: Drain, { now, pods }: DrainFacts): boolean => {
  const here = new Map(pods.map((pod) => [pod.uid, pod]));
  return (
    now - nextAt >= LATE &&
    evictions.every(({ uid, evictedAt }) => evictedAt === null && here.get(uid)?.deletedAt === null)
  );
};

/** To ask such a pod would only make another one of it, and so on; its time runs all the same. */
const COMES_BACK =
  'its controller has put it back on the node, and its budget has no room for it to end with the instance';

const STAYS = 'it tolerates the taint of the node, and its budget has no room for it to end with the instance';

function requestEvictions(
  drain: Drain,
  facts: DrainFacts,
  group: readonly Pod[],
  known: ReadonlyMap<string, Eviction>,
): DrainProgress {
  const { now, options } = facts;
  const current = new Map(known);
  const notice = endingNotice(drain);
  const ending = group.filter(
    (pod) => pod.deletedAt === null && (isBack(pod, drain) || toleratesDisruption(pod, options)),
  );
  for (const pod of ending) {
    const eviction = known.get(pod.uid) ?? newEviction(pod, facts, notice);
    const refusal = isBack(pod, drain) ? COMES_BACK : STAYS;
    current.set(pod.uid, { ...eviction, refusal, nextTryAt: eviction.giveUpAt });
  }
  const allocatable = facts.node?.allocatable ?? {};
  const others = group.filter((pod) => !ending.includes(pod)).toSorted(evictionOrder(allocatable));
  const held =
    notice === null
      ? waitingForStatefulSets(others, allocatable, now).union(waitingForVerdict(others, known, now))
      : new Set<string>();
  const due = others
    .filter(({ uid, deletedAt }) => deletedAt === null && !held.has(uid))
    .map((pod) => {
      const eviction = known.get(pod.uid) ?? newEviction(pod, facts, notice);
      return notice === null || eviction.evictedAt !== null
        ? eviction
        : { ...eviction, graceSeconds: graceUntil(notice, pod, options, now) };
    })
    .filter(({ evictedAt, nextTryAt }) => evictedAt === null && nextTryAt <= now);
  for (const eviction of due) {
    current.set(eviction.uid, withRequest(eviction, now));
  }
  const waiting = group.flatMap(({ uid }) => current.get(uid) ?? []);
  const age = now - Math.max(drain.phaseSince, ...waiting.map(({ firstTriedAt }) => firstTriedAt));
  const open = waiting.filter(({ uid, evictedAt }) => evictedAt === null && !held.has(uid));
  const nextTry = Math.min(...open.map(({ nextTryAt }) => nextTryAt));
  const wait = Math.max(SHORTEST_WAIT, Math.min(pollAfter(age), nextTry - now)) as DurationMs;
  const [first] = waiting.toSorted((a, b) => Number(a.evictedAt !== null) - Number(b.evictedAt !== null));
  return withEffects(
    stay({ ...drain, evictions: [...current.values()] }, facts, wait, mapOptional(first, describe) ?? null),
    due.map((eviction) => (notice === null ? { ...evict(eviction), inOrder: true } : evict(eviction))),
  );
}

/** Why an eviction was refused is told of each pod (`DrainExplanation`). */
const describe = ({ pod, evictedAt }: Eviction): string =>
  mapOptional(evictedAt, () => `pod ${pod} is given time to end`) ?? `pod ${pod} is to be evicted`;

/** A pod that keeps itself, by now, and was not asked to go with success before. Budgets are the API server's business. */
function blockerOfPod(moving: readonly PodToEvict[], known: ReadonlyMap<string, Eviction>): RollbackReason | null {
  for (const { pod, drainability } of moving) {
    const leaving = pod.deletedAt !== null || known.get(pod.uid)?.evictedAt != null;
    if (!leaving && drainability.kind === 'Wait') {
      return rollbackReason({ kind: 'PodMustComplete' }, pod);
    }
    if (!leaving && drainability.kind === 'Block' && drainability.reason !== 'NotEnoughPdb') {
      return podBlocks(drainability, pod);
    }
  }
  return null;
}

/** The rollback for a pod that still exists after its time. */
function overdue(drain: Drain, facts: DrainFacts, known: ReadonlyMap<string, Eviction>): RollbackReason | null {
  const { now, options } = facts;
  for (const { pod } of facts.moving) {
    const eviction = known.get(pod.uid);
    if (eviction !== undefined && eviction.evictedAt === null && eviction.giveUpAt <= now) {
      const { firstTriedAt, refusal } = eviction;
      return rollbackReason({ kind: 'PodNotEvicted', after: durationMs(now - firstTriedAt), refusal }, pod);
    }
    if (eviction !== undefined && eviction.evictedAt !== null && endOf(eviction, eviction.evictedAt) <= now) {
      return rollbackReason(
        { kind: 'PodStillThere', after: durationMs(seconds(eviction.graceSeconds) + EVICTION_HEADROOM) },
        pod,
      );
    }
  }
  const limit = evictingLimit(options);
  const [left] = facts.moving;
  if (left !== undefined && now - drain.phaseSince >= limit) {
    return rollbackReason({ kind: 'NodeNotEmpty', after: limit }, left.pod);
  }
  return null;
}

const endOf = ({ graceSeconds }: Eviction, evictedAt: EpochMs): EpochMs =>
  addTime(addTime(evictedAt, seconds(graceSeconds)), EVICTION_HEADROOM);

function notEvicted({ failure, pod }: RollbackReason, known: ReadonlyMap<string, Eviction>): readonly DrainEffect[] {
  const eviction = getOptional(known, pod?.uid);
  if (failure !== 'FailedToEvictPods' || eviction === undefined) {
    return [];
  }
  return [notEvictedEvent(eviction)];
}

/** Since when there has been nothing left that must move. */
const lastGone = ({ phaseSince, evictions }: Drain): EpochMs => {
  const gone = evictions.filter(({ manifest }) => !isDaemon(manifest)).flatMap(({ goneAt }) => goneAt ?? []);
  // The phase may have begun anew since.
  return gone.length === 0 ? phaseSince : epochMs(Math.max(...gone));
};
