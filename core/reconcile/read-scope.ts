import type { Evaluation } from '../model/decision.ts';
import type { ReadScope } from '../model/read-scope.ts';
import type { State } from '../model/state.ts';

/**
 * What an evaluation asks the API server for. PodDisruptionBudgets say whether pods may be evicted, which scale-up does
 * not ask. Of controllers, DaemonSets put pods on new nodes; the others tell which pods that were evicted lately are still
 * to be created again (`recreated`), and are read where there are such pods.
 */
export const scopeFor = (evaluation: Evaluation, { recentEvictions }: Pick<State, 'recentEvictions'>): ReadScope => ({
  budgets: evaluation === 'ScaleDown',
  controllers: evaluation === 'ScaleDown' || recentEvictions.length > 0 ? 'all' : 'DaemonSets',
});
