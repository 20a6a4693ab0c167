import type { Evaluation } from '@outrigger/core/model/decision.ts';
import type { ClusterSummary } from '@outrigger/core/wakeups/idle-detection.ts';
import type { ClusterRun } from '../shared/services.ts';

/**
 * Summarizes a cluster, as a scan does before it reads everything; `null` where it fails, for the reading will tell, and
 * where `idleEvaluationInterval` wants every scan to be a full evaluation. Scale-down does not ask for the groups: nothing
 * that they show makes a node of an idle cluster unneeded.
 */
export async function summarizeCluster(
  { services, cluster, signal }: ClusterRun,
  evaluation: Evaluation,
): Promise<ClusterSummary | null> {
  const { name, options, reader, groups } = cluster;
  if (options.idleEvaluationInterval === 0) {
    return null;
  }
  try {
    const [objects, sizes] = await Promise.all([
      reader.summarize(signal),
      evaluation === 'ScaleUp' ? groups.summarize(signal) : [],
    ]);
    return { objects, groups: sizes };
  } catch (error) {
    signal.throwIfAborted();
    services.log.debug(`${name}: a change check at the cluster failed; it is evaluated in full`, { error });
    return null;
  }
}
