import type { ClusterName } from '../../core/model/values/names.ts';
import type { PersistedCluster } from '../../core/model/intent.ts';
import { dryRunOf, withTimers } from '../../core/reconcile/dry-run-state.ts';
import type { World } from '../shared/world.ts';

/** What is remembered of a cluster. A dry run has timers of its own. */
export async function loadFor(
  { store, dryRun }: Pick<World, 'store' | 'dryRun'>,
  cluster: ClusterName,
  signal: AbortSignal,
): Promise<PersistedCluster> {
  const persisted = await store.load(cluster, signal);
  if (!dryRun) {
    return persisted;
  }
  const { version, state } = await store.load(dryRunOf(cluster), signal);
  return { ...persisted, version, state: withTimers(persisted.state, state) };
}
