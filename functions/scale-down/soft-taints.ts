import type { Scenario } from '@outrigger/core/model/scenario.ts';
import type { State } from '@outrigger/core/model/state.ts';
import { softTaintsFor } from '@outrigger/core/scaledown/soft-taints.ts';
import type { ClusterRun } from '../shared/services.ts';

/**
 * Brings the soft taints of the cluster's nodes nearer to what was decided, one after another and for no longer than
 * `maxBulkSoftTaintTime`: they are a wish, and the next evaluation goes on. What fails is left to it too.
 *
 * @returns whether there was one to change
 */
export async function updateSoftTaints(
  { services, cluster: { name, options, writer }, signal }: ClusterRun,
  scenario: Scenario,
  state: State,
): Promise<boolean> {
  const started = services.now();
  const changes = softTaintsFor(scenario, state);
  for (const { node, uid, change } of changes) {
    if (services.now() - started > options.maxBulkSoftTaintTime) {
      break;
    }
    try {
      const outcome = await writer.changeNode(node, uid, change, signal);
      if (outcome.kind === 'failed') {
        services.log.warn(`${name}: the soft taint of node ${node} could not be changed`, { outcome });
      }
    } catch (error) {
      signal.throwIfAborted();
      services.log.warn(`${name}: the soft taint of node ${node} is left to the next evaluation`, { error });
    }
  }
  return changes.length > 0;
}
