import type { ClusterName } from '@outrigger/core/model/values/names.ts';
import type { StoredDrain } from '@outrigger/core/model/drain.ts';
import type { PersistedCluster } from '@outrigger/core/model/intent.ts';
import { dryRunOf, withTimers } from '@outrigger/core/actuation/commit/dry-run-state.ts';
import type { World } from '../shared/world.ts';

/** The stored state of a cluster. */
export interface Known extends PersistedCluster {
  readonly drains: readonly StoredDrain[];
}

/**
 * Loads what is stored of a cluster, before it is observed: state and intents first, then drains. A drain of which the state
 * knows that it was started is in the store by then.
 */
export async function loadKnown(
  { store, drains, dryRun }: Pick<World, 'store' | 'drains' | 'dryRun'>,
  cluster: ClusterName,
  signal: AbortSignal,
): Promise<Known> {
  const persisted = await store.load(cluster, signal);
  // A dry run has timers of its own.
  const own = dryRun ? await store.load(dryRunOf(cluster), signal) : null;
  const { version, state } = own === null ? persisted : { ...own, state: withTimers(persisted.state, own.state) };
  return { ...persisted, version, state, drains: await drains.list(cluster, signal) };
}
