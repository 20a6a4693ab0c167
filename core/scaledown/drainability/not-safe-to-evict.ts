import type { DrainRule } from './drainability.ts';
import { block } from './outcome.ts';
import { SAFE_TO_EVICT } from './safe-to-evict.ts';

/** Whoever made the pod says that it must not be evicted. */
export const notSafeToEvict: DrainRule = (pod) =>
  pod.annotations[SAFE_TO_EVICT] === 'false' ? block('NotSafeToEvictAnnotation', `${SAFE_TO_EVICT} is "false"`) : null;
