import type { DrainRule } from './rule.ts';
import { block } from './outcome.ts';

/** The API server would refuse to evict the pod. */
export const pdb: DrainRule = {
  name: 'pdb',
  decide: (pod, { pdbs }) => {
    const verdict = pdbs.allows(pod);
    return verdict.ok ? null : block('NotEnoughPdb', verdict.reason);
  },
};
