import type { DrainRule } from './drainability.ts';
import { block } from './outcome.ts';

/** The API server would refuse to evict the pod. */
export const pdb: DrainRule = (pod, { budgets }) => {
  const verdict = budgets.allows(pod);
  return verdict.ok ? null : block('NotEnoughPdb', verdict.reason);
};
