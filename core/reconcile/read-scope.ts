import type { Evaluation } from '../model/decision.ts';
import type { ReadScope } from '../model/read-scope.ts';
import type { State } from '../model/state.ts';

/**
 * The objects that an evaluation reads from the API server. PodDisruptionBudgets decide whether pods may be evicted, which
 * does not concern scale-up. Of controllers, DaemonSets put pods on new nodes; the others show which of the pods that were
 * evicted lately are still to be created again (`recreated`), and are read only while there are such pods.
 */
export const scopeFor = (evaluation: Evaluation, { recentEvictions }: Pick<State, 'recentEvictions'>): ReadScope => ({
  budgets: evaluation === 'ScaleDown',
  controllers: evaluation === 'ScaleDown' || recentEvictions.length > 0 ? 'all' : 'DaemonSets',
});
