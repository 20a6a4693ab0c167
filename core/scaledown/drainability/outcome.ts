import { clip } from '../../model/values/clip.ts';
import type { BlockingReason } from '../../model/decision.ts';
import type { Pod } from '../../model/cluster/pod.ts';
import type { Drainability, DrainContext, DrainRule } from './rule.ts';

export const SKIP: Drainability = Object.freeze({ kind: 'Skip' });
export const DRAIN_OK: Drainability = Object.freeze({ kind: 'DrainOk' });
export const WAIT: Drainability = Object.freeze({ kind: 'Wait' });
export const MOVE: Drainability = Object.freeze({ kind: 'Move' });

/** A rule with the same verdict for all pods that it is about. */
export const ruleFor = (
  name: string,
  verdict: Drainability,
  isAbout: (pod: Pod, context: DrainContext) => boolean,
): DrainRule => ({
  name,
  decide: (pod, context) => (isAbout(pod, context) ? verdict : null),
});

/** @param message why, in words, without the name of the pod. */
export const block = (reason: BlockingReason, message: string): Drainability => ({
  kind: 'Block',
  reason,
  message: clip(message),
});
