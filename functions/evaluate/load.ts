import type { StoredDrain } from '@outrigger/core/model/drain.ts';
import type { PersistedCluster } from '@outrigger/core/model/intent.ts';
import { dryRunOf, withTimers } from '@outrigger/core/actuation/commit/dry-run-state.ts';
import type { ClusterRun } from '../shared/services.ts';

/** The stored state of a cluster. */
export interface StoredCluster extends PersistedCluster {
  readonly drains: readonly StoredDrain[];
}

/**
 * Loads what is stored of a cluster, before it is observed: state and intents first, then drains. A drain of which the state
 * knows that it was started is in the store by then.
 */
export async function loadKnown({ services, cluster: { name }, signal }: ClusterRun): Promise<StoredCluster> {
  const { store, drains, dryRun } = services;
  let persisted = await store.load(name, signal);
  if (dryRun) {
    // A dry run has timers of its own.
    const { version, state } = await store.load(dryRunOf(name), signal);
    persisted = { ...persisted, version, state: withTimers(persisted.state, state) };
  }
  return { ...persisted, drains: await drains.list(name, signal) };
}
