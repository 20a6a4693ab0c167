import { clip } from '../model/values/clip.ts';
import type { Drain, DrainFailure, DrainPhase } from '../model/drain.ts';
import type { DrainBlocker } from '../model/drain-blocker.ts';
import { keyOf, type Pod } from '../model/cluster/pod.ts';
import { mapOptional } from '../model/values/optional.ts';
import type { DurationMs, EpochMs } from '../model/values/time.ts';
import { blockerText, DRAIN_BLOCKERS } from '../words/drain-blockers.ts';
import type { DrainEffect } from './effects.ts';
import { rollingBackEvent } from './events.ts';
import type { DrainFacts } from './observation.ts';

/** The result of a phase. */
export type DrainProgress =
  | {
      readonly kind: 'stay';
      readonly drain: Drain;
      readonly effects: readonly DrainEffect[];
      /** Until when there is nothing to observe. */
      readonly until: EpochMs;
    }
  | { readonly kind: 'go'; readonly to: DrainPhase; readonly drain: Drain; readonly effects: readonly DrainEffect[] };

export type Phase = (drain: Drain, facts: DrainFacts) => DrainProgress;

export const go = (to: DrainPhase, drain: Drain, effects: readonly DrainEffect[] = []): DrainProgress => ({
  kind: 'go',
  to,
  drain: { ...drain, waitingFor: null },
  effects,
});

/** @param waitingFor in words, for people; `null`: for time to pass. */
export const stay = (
  drain: Drain,
  { now }: Pick<DrainFacts, 'now'>,
  wait: DurationMs,
  waitingFor: string | null,
): DrainProgress => ({
  kind: 'stay',
  drain: { ...drain, waitingFor: mapOptional(waitingFor, (why) => clip(why)) },
  effects: [],
  until: (now + wait) as EpochMs,
});

/** The progress, with effects before its own. */
export const withEffects = (progress: DrainProgress, effects: readonly DrainEffect[]): DrainProgress => ({
  ...progress,
  effects: [...effects, ...progress.effects],
});

/** Why a drain cannot go on. */
export interface RollbackReason {
  readonly failure: DrainFailure;
  readonly blocker: DrainBlocker['kind'];
  /** In words, without the pod's name. */
  readonly message: string;
  readonly pod: Pod | null;
}

export const rollbackReason = (blocker: DrainBlocker, pod: Pod | null = null): RollbackReason => ({
  failure: DRAIN_BLOCKERS[blocker.kind].failure,
  blocker: blocker.kind,
  message: clip(blockerText(blocker)),
  pod,
});

/** Gives up: what was done to the node is undone, and the reason kept. */
export function rollBack(
  drain: Drain,
  { now }: Pick<DrainFacts, 'now'>,
  { pod, ...why }: RollbackReason,
): DrainProgress {
  const outcome = { kind: 'rolledBack', at: now, ...why, pod: mapOptional(pod, keyOf) } as const;
  const failed = { ...drain, outcome };
  return go('RollingBack', failed, [rollingBackEvent(failed, outcome)]);
}
