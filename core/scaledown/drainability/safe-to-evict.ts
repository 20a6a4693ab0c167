import type { Pod } from '../../model/cluster/pod.ts';
import { block, DRAIN_OK, ruleFor, WAIT } from './outcome.ts';

/** `"true"`: may go, whatever the rules below say; `"false"`: keeps its node; `"on-completion"`: its node must wait. */
export const SAFE_TO_EVICT = 'cluster-autoscaler.kubernetes.io/safe-to-evict';

/** The pod's annotation allows its eviction. */
export const safeToEvict = ruleFor('safeToEvict', DRAIN_OK, ({ annotations }) => annotations[SAFE_TO_EVICT] === 'true');

/** A pod that must come to its end by itself: its node takes no more pods, and goes when this one has ended. */
export const onCompletion = ruleFor(
  'onCompletion',
  WAIT,
  ({ annotations }) => annotations[SAFE_TO_EVICT] === 'on-completion',
);

/** An annotation says that the pod must not be evicted. */
export const isNotSafeToEvict = ({ annotations }: Pod): boolean => annotations[SAFE_TO_EVICT] === 'false';

export const notSafeToEvict = ruleFor(
  'notSafeToEvict',
  block('NotSafeToEvictAnnotation', `${SAFE_TO_EVICT} is "false"`),
  isNotSafeToEvict,
);
