import type { Rejected } from '../../core/ports/cluster.ts';
import type { Intent } from '../../core/model/intent.ts';
import type { StoredDrain } from '../../core/model/drain.ts';
import type { Scenario } from '../../core/model/scenario.ts';
import type { State } from '../../core/model/state.ts';
import type { EpochMs } from '../../core/model/values/time.ts';
import { seedFor } from '../../core/model/seed.ts';
import { awaitedSince } from '../../core/reconcile/awaited-launches.ts';
import type { Cluster } from '../shared/world.ts';
import { withPending } from '../../core/reconcile/in-flight.ts';

export interface Observed {
  readonly scenario: Scenario;
  readonly rejected: readonly Rejected[];
}

/**
 * Observes a cluster: its objects first (nodes before pods), then its node groups. A size that was decided but is not
 * set yet counts as set, or the same nodes would be decided twice.
 *
 * The state must have been loaded before: what has happened since then is seen by the observation or stops the commit.
 */
export async function observeCluster(
  cluster: Cluster,
  persisted: {
    readonly version: number;
    readonly state: State;
    readonly intents: readonly Intent[];
    readonly drains: readonly StoredDrain[];
  },
  now: () => EpochMs,
  signal: AbortSignal,
): Promise<Observed> {
  const { objects, rejected } = await cluster.reader.read(signal);
  const listed = await cluster.groups.list(objects.nodes, signal);
  const groups = await cluster.groups.withLaunchFailures(listed, awaitedSince(persisted.state), signal);
  const time = now();
  const registered = new Set(objects.nodes.map(({ name }) => name));
  return {
    scenario: {
      name: cluster.name,
      provider: cluster.provider,
      now: time,
      seed: seedFor(cluster.name, persisted.version),
      options: cluster.options,
      nodeGroups: groups.map((group) => withPending(group, persisted, time, registered)),
      objects,
      state: persisted.state,
    },
    rejected,
  };
}
