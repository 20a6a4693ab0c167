import type { PersistedCluster } from '@outrigger/core/model/intent.ts';
import { bufferStatuses } from '@outrigger/core/headroom/buffer-status.ts';
import { requestStatuses } from '@outrigger/core/headroom/requests/request-status.ts';
import type { Message } from '@outrigger/core/model/message.ts';
import type { DecidedScenario } from '@outrigger/core/actuation/commit/next-write.ts';
import type { ClusterEvent } from '@outrigger/core/model/cluster/cluster-event.ts';
import { autoscalerStatus } from '@outrigger/core/words/autoscaler-status.ts';
import { decisionEvents } from '@outrigger/core/words/decision-events.ts';
import { decisionMessages } from '@outrigger/core/words/decision-messages.ts';
import { settledEvents } from '@outrigger/core/words/status-events.ts';
import { sendMessages } from '../shared/messages.ts';
import type { ClusterRun } from '../shared/services.ts';

/**
 * Tells of a decision that stands, and of the outcome of earlier decisions: in the cluster, and on the event bus if the decision
 * is committed. Not in a dry run; an announcement that cannot be made fails nothing.
 */
export async function announce(
  run: ClusterRun,
  known: Pick<PersistedCluster, 'version' | 'intents' | 'state'>,
  decided: DecidedScenario,
  outcome: 'committed' | 'unchanged',
): Promise<void> {
  const { services, cluster, signal } = run;
  const committed = { ...decided, before: known.state, version: known.version + 1 };
  const messages = (): readonly Message[] => (outcome === 'committed' ? decisionMessages(cluster.name, committed) : []);
  await Promise.all([announceInCluster(run, known, decided), sendMessages(services, cluster.name, messages, signal)]);
}

async function announceInCluster(
  { services: { dryRun, log }, cluster: { writer }, signal }: ClusterRun,
  { version, intents }: Pick<PersistedCluster, 'version' | 'intents'>,
  { scenario, decision, settled }: DecidedScenario,
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
