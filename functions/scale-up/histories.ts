import type { ClusterName } from '../../core/model/values/names.ts';
import { type EvaluationHistory, NO_HISTORY } from '../../core/wakeups/spacing.ts';

/** What one sandbox remembers of each cluster's evaluations. Lost with the sandbox, which costs a few evaluations. */
export interface Histories {
  readonly of: (cluster: ClusterName) => EvaluationHistory;
  readonly keep: (cluster: ClusterName, history: EvaluationHistory) => void;
}

export function createHistories(): Histories {
  const byCluster = new Map<ClusterName, EvaluationHistory>();
  return {
    of: (cluster) => byCluster.get(cluster) ?? NO_HISTORY,
    keep: (cluster, history) => void byCluster.set(cluster, history),
  };
}
