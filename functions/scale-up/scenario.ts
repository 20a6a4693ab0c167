import { valueOf } from '../../core/model/records.ts';
import type { ClusterName, GroupName } from '../../core/model/names.ts';
import type { Intent, Rejected, StoredDrain } from '../../core/model/ports.ts';
import type { Scenario } from '../../core/model/scenario.ts';
import type { State } from '../../core/model/state.ts';
import type { EpochMs } from '../../core/model/time.ts';
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

/**
 * Since when each group's machines have been awaited. A group whose errors were seen, but whose request is over, is asked
 * about until its target has come down: its last scale-up is what failed.
 */
function awaitedSince({ scaleUpRequests, seenErrors, groups }: State): ReadonlyMap<GroupName, EpochMs> {
  const since = new Map<GroupName, EpochMs>();
  for (const group of Object.keys(seenErrors) as GroupName[]) {
    const last = valueOf(groups, group)?.lastScaleUp ?? null;
    if (last !== null) {
      since.set(group, last);
    }
  }
  for (const { group, time } of scaleUpRequests) {
    since.set(group, time);
  }
  return since;
}

/** The same for the same cluster at the same version, so that an evaluation can be repeated (32-bit FNV-1a). */
export function seedFor(cluster: ClusterName, version: number): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(`${cluster}:${version}`)) {
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  return hash >>> 0;
}
