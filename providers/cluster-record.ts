import type { Mode, ClusterRecord } from '@outrigger/core/explanation/cluster-record.ts';
import type { State } from '@outrigger/core/model/state.ts';
import type { DrainStore } from '@outrigger/core/ports/drain-store.ts';
import type { StateStore } from '@outrigger/core/ports/state-store.ts';
import { dryRunOf, withTimers } from '@outrigger/core/actuation/commit/dry-run-state.ts';

export interface Stores {
  readonly store: Pick<StateStore, 'load' | 'lastDecision'>;
  readonly drains: Pick<DrainStore, 'list'>;
}

/**
 * Loads the stored state of a cluster, from the deployment that has evaluated the cluster last, acting or observing.
 *
 * @returns `null` for a cluster that was never evaluated
 */
export async function loadClusterRecord(
  stores: Stores,
  about: Pick<ClusterRecord, 'cluster' | 'options' | 'now'>,
  signal: AbortSignal,
): Promise<ClusterRecord | null> {
  const { store } = stores;
  const { cluster } = about;
  const [acting, observing] = await Promise.all([store.load(cluster, signal), store.load(dryRunOf(cluster), signal)]);
  if (acting.version === 0 && observing.version === 0) {
    return null;
  }
  const mode: Mode = lastOf(observing.state) > lastOf(acting.state) ? 'observe' : 'act';
  const of = mode === 'act' ? cluster : dryRunOf(cluster);
  const [scaleUp, scaleDown, drains] = await Promise.all([
    store.lastDecision(of, signal, 'ScaleUp'),
    store.lastDecision(of, signal, 'ScaleDown'),
    mode === 'act' ? stores.drains.list(cluster, signal) : [],
  ]);
  const {
    version,
    state,
    intents,
    notices = [],
  } = mode === 'act' ? acting : { ...observing, state: withTimers(acting.state, observing.state), intents: [] };
  const { pauses = [] } = acting;
  return { ...about, mode, version, state, intents, notices, pauses, drains, scaleUp, scaleDown };
}

/** When either part was evaluated last; 0: never. */
const lastOf = ({ lastEvaluation, lastScaleUpEvaluation }: State): number =>
  Math.max(lastEvaluation ?? 0, lastScaleUpEvaluation ?? 0);
