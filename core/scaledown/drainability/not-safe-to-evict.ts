import type { Pod } from '../../model/cluster/pod.ts';
import type { DrainRule } from './rule.ts';
import { block } from './outcome.ts';
import { SAFE_TO_EVICT } from './safe-to-evict.ts';

/** An annotation says that the pod must not be evicted. */
export const isNotSafeToEvict = ({ annotations }: Pod): boolean => annotations[SAFE_TO_EVICT] === 'false';

export const notSafeToEvict: DrainRule = {
  name: 'notSafeToEvict',
  decide: (pod) => (isNotSafeToEvict(pod) ? block('NotSafeToEvictAnnotation', `${SAFE_TO_EVICT} is "false"`) : null),
};
