import type { ClusterName } from '../../core/model/values/names.ts';
import { type EvaluationHistory, NO_HISTORY } from '../../core/wakeups/spacing.ts';

/** What one sandbox remembers of a cluster's evaluations. Lost with the sandbox, which costs a few evaluations. */
export interface Remembered {
  history: EvaluationHistory;
}

/** A memory for each cluster. */
export function spacings(): (cluster: ClusterName) => Remembered {
  const byCluster = new Map<ClusterName, Remembered>();
  return (cluster) => {
    const remembered = byCluster.get(cluster) ?? { history: NO_HISTORY };
    byCluster.set(cluster, remembered);
    return remembered;
  };
}
