import type { PersistedCluster } from '../../core/model/intent.ts';
import { bufferStatuses } from '../../core/headroom/buffer-status.ts';
import { requestStatuses } from '../../core/provisioning/request-status.ts';
import type { DecidedScenario } from '../../core/reconcile/next-write.ts';
import type { ClusterEvent } from '../../core/model/cluster/cluster-event.ts';
import { autoscalerStatus } from '../../core/words/autoscaler-status.ts';
import { decisionEvents } from '../../core/words/decision-events.ts';
import { settledEvents } from '../../core/words/status-events.ts';
import type { Cluster, World } from '../shared/world.ts';

/**
 * Says in the cluster what was decided and committed, and what has become of earlier decisions: not in a dry run. What
 * cannot be said fails nothing.
 */
export async function announce(
  { dryRun, log }: Pick<World, 'dryRun' | 'log'>,
  { writer }: Pick<Cluster, 'writer'>,
  { version, intents }: Pick<PersistedCluster, 'version' | 'intents'>,
  { scenario, decision, settled }: DecidedScenario,
  signal: AbortSignal,
): Promise<void> {
  function* events(): Generator<ClusterEvent> {
    yield* settledEvents(intents, settled);
    yield* decisionEvents(scenario, decision, version + 1);
  }
  try {
    if (!dryRun) {
      await writer.writeStatus(autoscalerStatus(scenario, decision), signal);
      await writer.recordEvents(events(), signal);
      for (const status of requestStatuses(scenario, decision)) {
        await writer.writeRequestStatus(status, signal);
      }
      for (const status of bufferStatuses(scenario, decision)) {
        await writer.writeBufferStatus(status, signal);
      }
    }
  } catch (error) {
    signal.throwIfAborted();
    log.error(`${scenario.name}: the decision is stored, and could not be said in the cluster`, { error });
  }
}
