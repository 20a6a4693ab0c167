import type { Drain, DrainNotice } from '../model/drain.ts';
import type { Pod } from '../model/cluster/pod.ts';
import type { Options } from '../model/options.ts';
import { addTime, type EpochMs, epochMs, seconds } from '../model/values/time.ts';
import type { DrainEffect } from './effects.ts';
import { graceOf } from './eviction-order.ts';
import { EVICTION_HEADROOM } from './limits.ts';
import type { PodToEvict } from './observation.ts';
import type { DrainProgress } from './step.ts';

/** Heartbeats are sent this often: a hook waits at least 30 seconds for one. */
const HEARTBEAT_EVERY = seconds(20);

/**
 * The notice of a drain whose instance the cloud ends, whatever is on it. A node that is not needed, and one that is replaced
 * ahead of time, may stay.
 */
export const endingNotice = ({ notice }: Pick<Drain, 'notice'>): DrainNotice | null =>
  notice === undefined || notice.kind === 'RebalanceRecommendation' ? null : notice;

/** Is the time over that the cloud leaves? */
export function isAtDeadline(drain: Pick<Drain, 'notice'>, now: EpochMs): boolean {
  const notice = endingNotice(drain);
  return notice !== null && notice.deadline <= now;
}

/** The grace period of a pod, cut to the time that is left; a second at least, for 0 would end it without notice. */
export const graceUntil = ({ deadline }: DrainNotice, pod: Pod, options: Options, now: EpochMs): number =>
  Math.max(1, Math.min(graceOf(pod, options), Math.floor((deadline - now) / 1_000)));

/**
 * Pods that a drain rule keeps on their node are asked to go last: as late as their grace period allows, for until then
 * they may complete. By uid. PodDisruptionBudgets are the API server's business.
 */
export function podsEvictedLast(
  drain: Pick<Drain, 'notice'>,
  moving: readonly PodToEvict[],
  options: Options,
  now: EpochMs,
): ReadonlySet<string> {
  const notice = endingNotice(drain);
  if (notice === null) {
    return new Set();
  }
  const isKept = ({ drainability: by }: PodToEvict): boolean =>
    by.kind === 'Wait' || (by.kind === 'Block' && by.reason !== 'NotEnoughPdb');
  const kept = moving.filter((one) => isKept(one) && now < latestStart(notice, one.pod, options));
  return new Set(kept.map(({ pod }) => pod.uid));
}

const latestStart = ({ deadline }: DrainNotice, pod: Pod, options: Options): EpochMs =>
  epochMs(deadline - seconds(graceOf(pod, options)) - EVICTION_HEADROOM);

/** The drain, and a heartbeat of its hook where one is due. */
export function withHeartbeat(
  drain: Drain,
  now: EpochMs,
): { readonly drain: Drain; readonly effects: readonly DrainEffect[] } {
  const { notice, group, instance } = drain;
  const hook = notice?.hook ?? null;
  if (notice === undefined || hook === null || now < addTime(notice.heartbeatAt ?? epochMs(0), HEARTBEAT_EVERY)) {
    return { drain, effects: [] };
  }
  return {
    drain: { ...drain, notice: { ...notice, heartbeatAt: now } },
    effects: [{ kind: 'heartbeat', group, instance, hook }],
  };
}

/** The step, with nothing that is to be observed after the deadline alone. */
export function untilDeadline(drain: Pick<Drain, 'notice'>, step: DrainProgress): DrainProgress {
  const deadline = endingNotice(drain)?.deadline;
  if (step.kind !== 'stay' || deadline === undefined) {
    return step;
  }
  return { ...step, until: epochMs(Math.min(step.until, deadline)) };
}
