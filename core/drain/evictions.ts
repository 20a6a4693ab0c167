import { clip } from '../model/values/clip.ts';
import type { DrainNotice, Eviction } from '../model/drain.ts';
import { isDaemon, keyOf, type Pod } from '../model/cluster/pod.ts';
import type { EvictOutcome } from '../model/answers.ts';
import { mapOptional } from '../model/values/optional.ts';
import { addTime, type DurationMs, durationMs, type EpochMs, seconds } from '../model/values/time.ts';
import type { DrainEffect } from './effects.ts';
import { evictedPod } from './evicted-pod.ts';
import { graceOf } from './eviction-order.ts';
import { graceUntil } from './deadline.ts';
import { DAEMON_LIMIT, DAEMON_WAIT, REFUSAL_WAIT, SHORTEST_WAIT, THROTTLE_ALLOWANCE, THROTTLE_WAIT } from './limits.ts';
import { type DrainFacts, isUnreadable } from './observation.ts';

/** When the API server did not answer, or did not say when to try again. */
const UNANSWERED_WAIT = seconds(5);

const triedFor = (pod: Pod, { maxPodEvictionTime }: DrainFacts['options']): DurationMs =>
  isDaemon(pod) ? DAEMON_LIMIT : maxPodEvictionTime;

/** A pod's first eviction; `asked` puts the effect to it. */
export const newEviction = (pod: Pod, { now, options }: DrainFacts, notice: DrainNotice | null = null): Eviction => ({
  pod: keyOf(pod),
  uid: pod.uid,
  ...evictedPod(pod),
  graceSeconds: notice === null ? graceOf(pod, options) : graceUntil(notice, pod, options, now),
  firstTriedAt: now,
  giveUpAt: notice?.deadline ?? addTime(now, triedFor(pod, options)),
  evictedAt: null,
  goneAt: null,
  tries: 0,
  throttles: 0,
  nextTryAt: now,
  refusal: null,
});

/** The eviction as it is once it has been asked for (again). */
export const withRequest = (eviction: Eviction, now: EpochMs): Eviction => ({
  ...eviction,
  tries: eviction.tries + 1,
  nextTryAt: addTime(now, UNANSWERED_WAIT),
});

export const evict = ({ manifest, uid, graceSeconds }: Eviction): Extract<DrainEffect, { readonly kind: 'evict' }> => ({
  kind: 'evict',
  pod: { namespace: manifest.namespace, name: manifest.name, uid },
  graceSeconds: graceSeconds === manifest.spec.terminationGracePeriodSeconds ? null : graceSeconds,
});

/** Does this say whether the pod may go? An API server that is too busy, or silent, has not looked at it. */
export const isVerdict = (answer: EvictOutcome | null): boolean => answer !== null && answer.kind !== 'throttled';

/** The answer for an eviction that is not requested, since the API server has not answered an earlier one. */
export const HELD_UP: EvictOutcome = { kind: 'throttled', message: 'an earlier one waits', retryAfterSeconds: null };

/**
 * The pods that wait for an earlier pod whose eviction was requested, without a verdict of the API server so far. The
 * earlier pod is the larger one, and a pod evicted before it may take the only capacity for it. Its eviction is tried
 * again first.
 *
 * @param pods of one rank, in the order of their eviction.
 * @returns their UIDs.
 */
export function waitingForVerdict(
  pods: readonly Pod[],
  known: ReadonlyMap<string, Eviction>,
  now: EpochMs,
): ReadonlySet<string> {
  const first = pods.findIndex(({ uid, deletedAt }) => {
    const eviction = known.get(uid);
    return deletedAt === null && eviction !== undefined && isOpen(eviction) && eviction.nextTryAt > now;
  });
  return new Set(first === -1 ? [] : pods.slice(first + 1).map(({ uid }) => uid));
}

const isOpen = ({ evictedAt, tries, throttles, refusal }: Eviction): boolean =>
  evictedAt === null && tries > 0 && (throttles > 0 || refusal === null);

/**
 * The eviction after an answer, and with the pod as it is now.
 *
 * @param pod `null`: the pod is not on the node any more, or cannot be read.
 */
export function updated(eviction: Eviction, answer: EvictOutcome | null, pod: Pod | null, facts: DrainFacts): Eviction {
  const { now } = facts;
  const answered = mapOptional(answer, (given) => withAnswer(eviction, given, facts)) ?? eviction;
  if (pod === null && isUnreadable(eviction.pod, facts)) {
    return answered;
  }
  if (pod === null) {
    // Whether it went because it was asked to, and the answer got lost, or by itself: its controller makes it anew.
    return { ...answered, evictedAt: answered.evictedAt ?? now, goneAt: answered.goneAt ?? now };
  }
  // The eviction was accepted, even if its answer was lost.
  return pod.deletedAt === null ? answered : { ...answered, evictedAt: answered.evictedAt ?? now };
}

function withAnswer(eviction: Eviction, answer: EvictOutcome, facts: DrainFacts): Eviction {
  const { now } = facts;
  if (eviction.evictedAt !== null) {
    return eviction;
  }
  switch (answer.kind) {
    case 'done':
      return { ...eviction, evictedAt: now, refusal: null, throttles: 0 };
    case 'gone':
      return { ...eviction, throttles: 0, nextTryAt: addTime(now, SHORTEST_WAIT) };
    case 'refused':
      return later(eviction, addTime(now, waitOf(answer.retryAfterSeconds, refusalWait(eviction))), answer.message);
    case 'failed':
      return later(eviction, addTime(now, refusalWait(eviction)), `${answer.code}: ${answer.message}`);
    case 'throttled':
      return throttled(eviction, facts, answer.message, answer.retryAfterSeconds);
  }
}

const refusalWait = ({ manifest }: Eviction): DurationMs => (isDaemon(manifest) ? DAEMON_WAIT : REFUSAL_WAIT);

const later = (eviction: Eviction, nextTryAt: EpochMs, refusal: string): Eviction => ({
  ...eviction,
  throttles: 0,
  refusal: clip(refusal),
  nextTryAt,
});

const waitOf = (retryAfter: number | null, otherwise: DurationMs): DurationMs =>
  mapOptional(retryAfter, (wait) => durationMs(Math.max(seconds(wait), SHORTEST_WAIT))) ?? otherwise;

/** Throttling says nothing about the pod: the time that it costs is not the pod's. */
function throttled(eviction: Eviction, { now, options }: DrainFacts, message: string, after: number | null): Eviction {
  const backoff = durationMs(Math.min(THROTTLE_WAIT.first * 2 ** eviction.throttles, THROTTLE_WAIT.longest));
  const wait = waitOf(after, backoff);
  const latest = addTime(addTime(eviction.firstTriedAt, triedFor(eviction.manifest, options)), THROTTLE_ALLOWANCE);
  return {
    ...later(eviction, addTime(now, wait), message),
    throttles: eviction.throttles + 1,
    giveUpAt: Math.min(addTime(eviction.giveUpAt, wait), latest) as EpochMs,
  };
}
