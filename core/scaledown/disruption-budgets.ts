import type { Pod } from '../model/pod.ts';
import type { PodDisruptionBudget } from '../model/workloads.ts';

/** Whether the API server would let a pod be evicted now, and if not, why. */
export type EvictionVerdict = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** What the budgets say to evicting several pods, as those of one node are. */
export interface Disruption {
  /** `false` when one of the pods cannot be evicted at all. */
  readonly canRemove: boolean;
  /** `false` when more pods need a budget than it has left: some must wait for the replacement of others. */
  readonly inParallel: boolean;
  /** The first pod that cannot be evicted; `null` when `canRemove`. */
  readonly blocked: { readonly pod: Pod; readonly reason: string } | null;
}

/** What PodDisruptionBudgets leave for the drains of one evaluation. */
export interface DisruptionBudgets {
  allows(pod: Pod): EvictionVerdict;
  /** At least one budget covers the pod, whatever it allows. */
  covers(pod: Pod): boolean;
  canTake(pods: readonly Pod[]): Disruption;
  /** Counts the pods as evicted: what is asked later sees less. */
  take(pods: readonly Pod[]): void;
  /** The same budgets as they stand now; neither sees what the other takes. */
  fork(): DisruptionBudgets;
}

/** @param inProgress pods on nodes that are being drained: those not evicted yet take their budgets' allowance. */
export function createDisruptionBudgets(
  _budgets: readonly PodDisruptionBudget[],
  _inProgress: readonly Pod[] = [],
): DisruptionBudgets {
  const none: DisruptionBudgets = {
    allows: () => ({ ok: true }),
    covers: () => false,
    canTake: () => ({ canRemove: true, inParallel: true, blocked: null }),
    take: () => {},
    fork: () => none,
  };
  return none;
}
