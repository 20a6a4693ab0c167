import { cordonsFor } from '@outrigger/core/notices/cordons.ts';
import type { Scenario } from '@outrigger/core/model/scenario.ts';
import type { ClusterWriter } from '@outrigger/core/ports/cluster.ts';
import { EVENT_MESSAGES } from '@outrigger/core/words/event-messages.ts';
import type { Log } from '@outrigger/core/ports/observability.ts';

/**
 * Cordons the nodes that rebalance recommendations are about, where the options say so. One that cannot be changed is left to the
 * next evaluation.
 */
export async function cordonNoticed(
  { log, dryRun }: { readonly log: Log; readonly dryRun: boolean },
  { writer }: { readonly writer: Pick<ClusterWriter, 'changeNode' | 'recordEvent'> },
  scenario: Scenario,
  signal: AbortSignal,
): Promise<void> {
  for (const { node, uid, change } of dryRun ? [] : cordonsFor(scenario)) {
    try {
      const outcome = await writer.changeNode(node, uid, change, signal);
      log.info(`${scenario.name}: node ${node} is cordoned for a rebalance recommendation`, { outcome });
      if (outcome.kind === 'done') {
        const message = EVENT_MESSAGES.cordoned('RebalanceRecommendation');
        await writer.recordEvent(
          { about: { kind: 'Node', name: node, uid }, type: 'Normal', reason: 'Cordoned', message },
          signal,
        );
      }
    } catch (error) {
      signal.throwIfAborted();
      log.warn(`${scenario.name}: node ${node} could not be cordoned; it is tried again`, { error });
    }
  }
}
