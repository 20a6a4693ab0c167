import type { Evaluation } from '../../model/decision.ts';
import type { ReadScope } from '../../model/read-scope.ts';
import type { Options } from '../../model/options.ts';
import type { State } from '../../model/state.ts';

/**
 * The objects that an evaluation reads from the API server. PodDisruptionBudgets decide whether pods may be evicted, which
 * does not concern scale-up. Of controllers, DaemonSets put pods on new nodes; the others show which of the pods that were
 * evicted lately are still to be created again (`recreated`), and which pods are about to be created
 * (`enableProactiveScaleup`).
 */
export const scopeFor = (
  evaluation: Evaluation,
  { recentEvictions }: Pick<State, 'recentEvictions'>,
  { enableProactiveScaleup }: Pick<Options, 'enableProactiveScaleup'>,
): ReadScope => ({
  budgets: evaluation === 'ScaleDown',
  controllers:
    evaluation === 'ScaleDown' || enableProactiveScaleup || recentEvictions.length > 0 ? 'all' : 'DaemonSets',
});
