import type { PersistedCluster } from '../../core/model/intent.ts';
import type { Decided } from '../../core/reconcile/next-write.ts';
import { decisionEvents } from '../../core/words/decision-events.ts';
import type { Cluster, World } from '../shared/world.ts';

/** Says in the cluster what was decided and committed. A dry run says nothing there; what cannot be said fails nothing. */
export async function announce(
  { dryRun, log }: Pick<World, 'dryRun' | 'log'>,
  { name, writer }: Pick<Cluster, 'name' | 'writer'>,
  { version }: Pick<PersistedCluster, 'version'>,
  { scenario, decision }: Decided,
  signal: AbortSignal,
): Promise<void> {
  if (dryRun) {
    return;
  }
  try {
    await writer.recordEvents(decisionEvents(scenario, decision, version + 1), signal);
  } catch (error) {
    signal.throwIfAborted();
    log.error(`${name}: the decision is stored, and could not be put into events`, { error });
  }
}
