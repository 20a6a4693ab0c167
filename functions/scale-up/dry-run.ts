import { type ClusterName, clusterName } from '../../core/model/names.ts';
import type { PersistedCluster } from '../../core/model/ports.ts';
import { EMPTY_STATE, type State } from '../../core/model/state.ts';
import type { World } from '../shared/world.ts';

/**
 * Where a dry run remembers what it has seen: beside the cluster, never in its place, for the dry run of one deployment
 * may look at the table of another that acts. No cluster of EKS has a name like that.
 */
export const dryRunOf = (cluster: ClusterName): ClusterName => clusterName(`${cluster}/dry-run`);

/** What is remembered of a cluster. A dry run has clocks of its own. */
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
  return { ...persisted, version, state: withClocks(persisted.state, state) };
}

/**
 * What a dry run remembers: for how long things have been as they are, or it would never come to say that a node goes.
 * Nothing that was decided, for nothing of that is made.
 */
export const clocksOf = (state: State): State => withClocks(EMPTY_STATE, state);

const withClocks = (
  state: State,
  { unneededSince, unremovableUntil, unregisteredSince, incorrectSize, lastEvaluation }: State,
): State => ({ ...state, unneededSince, unremovableUntil, unregisteredSince, incorrectSize, lastEvaluation });
