import type { DrainRule } from './rule.ts';
import { WAIT } from './outcome.ts';
import { SAFE_TO_EVICT } from './safe-to-evict.ts';

/** A pod that must come to its end by itself: its node takes no more pods, and goes when this one has ended. */
export const onCompletion: DrainRule = {
  name: 'onCompletion',
  decide: (pod) => (pod.annotations[SAFE_TO_EVICT] === 'on-completion' ? WAIT : null),
};
