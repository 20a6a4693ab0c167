import type { Evaluation } from '@outrigger/core/model/decision.ts';
import type { Glance } from '@outrigger/core/wakeups/idle-detection.ts';
import type { ClusterRun } from '../shared/services.ts';

/**
 * Glances at a cluster, as a tick does before it reads everything; `null` where it fails, for the reading will tell, and
 * where `idleEvaluationInterval` wants every tick to be a full evaluation. Scale-down does not ask for the groups: nothing
 * that they show makes a node of a cluster at rest unneeded.
 */
export async function glanceAt(
  { services, cluster, signal }: ClusterRun,
  evaluation: Evaluation,
): Promise<Glance | null> {
  const { name, options, reader, groups } = cluster;
  if (options.idleEvaluationInterval === 0) {
    return null;
  }
  try {
    const [objects, sizes] = await Promise.all([
      reader.glance(signal),
      evaluation === 'ScaleUp' ? groups.glance(signal) : [],
    ]);
    return { objects, groups: sizes };
  } catch (error) {
    signal.throwIfAborted();
    services.log.debug(`${name}: a glance at the cluster failed; it is evaluated in full`, { error });
    return null;
  }
}
