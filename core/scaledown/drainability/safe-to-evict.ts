import type { DrainRule } from './rule.ts';
import { DRAIN_OK } from './outcome.ts';

/** `"true"`: may go, whatever the rules below say; `"false"`: keeps its node; `"on-completion"`: its node must wait. */
export const SAFE_TO_EVICT = 'cluster-autoscaler.kubernetes.io/safe-to-evict';

/** The pod's annotation allows its eviction. */
export const safeToEvict: DrainRule = {
  name: 'safeToEvict',
  decide: (pod) => (pod.annotations[SAFE_TO_EVICT] === 'true' ? DRAIN_OK : null),
};
