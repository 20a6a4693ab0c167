import { clip } from '../../model/values/clip.ts';
import type { BlockingReason } from '../../model/decision.ts';
import type { Drainability } from './rule.ts';

export const SKIP: Drainability = Object.freeze({ kind: 'Skip' });
export const DRAIN_OK: Drainability = Object.freeze({ kind: 'DrainOk' });
export const WAIT: Drainability = Object.freeze({ kind: 'Wait' });
export const MOVE: Drainability = Object.freeze({ kind: 'Move' });

/** @param message why, in words, without the name of the pod. */
export const block = (reason: BlockingReason, message: string): Drainability => ({
  kind: 'Block',
  reason,
  message: clip(message),
});
