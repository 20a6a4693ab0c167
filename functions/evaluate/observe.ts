import { nonEmpty, present } from '@outrigger/core/model/values/present.ts';
import { INSTANCE_TYPE_LABEL, type Node } from '@outrigger/core/model/cluster/node.ts';
import type { NodeGroup } from '@outrigger/core/model/node-group.ts';
import type { RejectedObject } from '@outrigger/core/ports/cluster.ts';
import type { Scenario } from '@outrigger/core/model/scenario.ts';
import { withoutOvertaken } from '@outrigger/core/notices/due.ts';
import { observedNotices } from '@outrigger/core/notices/observed.ts';
import { seedFor } from '@outrigger/core/model/seed.ts';
import { nodeUids } from '@outrigger/core/model/returned-instance.ts';
import { awaitedSince } from '@outrigger/core/actuation/changes/awaited-launches.ts';
import { withInFlightChanges } from '@outrigger/core/actuation/changes/in-flight-changes.ts';
import { resizedByOthers, sizesSeen } from '@outrigger/core/actuation/changes/resized-by-others.ts';
import { scopeFor } from '@outrigger/core/actuation/commit/read-scope.ts';
import type { Evaluation } from '@outrigger/core/model/decision.ts';
import type { ClusterRun, Services } from '../shared/services.ts';
import type { StoredCluster } from './load.ts';
import { presentItems } from '@outrigger/core/model/values/optional.ts';

/**
 * Observes a cluster: its objects first (nodes before pods), then its node groups. A size that was decided but is not
 * set yet counts as set, or the same nodes would be decided twice.
 *
 * The state must have been loaded before: what has happened since then is seen by the observation or stops the commit.
 *
 * @param evaluation that is to come: scale-up does not wait for what scale-down alone asks about.
 */
export async function observeCluster(
  { services, cluster, signal }: ClusterRun<'now' | 'log' | 'metrics' | 'dryRun'>,
  { version, intents, drains, state, notices: known = [], pauses: stored = [] }: StoredCluster,
  evaluation: Evaluation,
): Promise<Scenario> {
  const [{ objects, rejected, differing = 0 }, ofCluster] = await Promise.all([
    cluster.reader.read(signal, scopeFor(evaluation, state, cluster.options)),
    // A dry run has nothing to pause, and no right to read a pause.
    services.dryRun ? null : (cluster.reader.pause?.(signal) ?? null),
  ]);
  const pauses = presentItems([...stored, ofCluster]);
  reportRejected(services, rejected);
  if (differing > 0) {
    services.metrics.count('CachedListDifferences', differing);
    services.metrics.count('NeedsCorrection', differing);
  }
  const listed = await cluster.groups.list(objects.nodes, signal);
  const [groups, commitments = []] = await Promise.all([
    cluster.groups.withLaunchFailures(listed, awaitedSince(state), signal),
    cluster.groups.commitments?.(instanceTypesOf(listed, objects.nodes), signal),
  ]);
  const now = services.now();
  const notices = observedNotices({ notices: known, drains, intents }, { nodeGroups: groups, objects, now });
  const registered = nodeUids(objects.nodes);
  const seen = evaluation === 'ScaleUp' ? { ...state, seenSizes: sizesSeen(groups) } : state;
  return {
    name: cluster.name,
    provider: cluster.provider,
    now,
    seed: seedFor(cluster.name, version),
    options: cluster.options,
    nodeGroups: groups.map((group) => {
      const resized = resizedByOthers(group, { intents, drains, state }, now);
      return {
        ...withInFlightChanges(group, { intents, state, drains }, now, registered),
        ...present({ resizedByOthers: resized }),
      };
    }),
    objects,
    state: withoutOvertaken(seen, notices, drains, { options: cluster.options, nodeGroups: groups, now }),
    ...nonEmpty({ notices, pauses, commitments }),
  };
}

/** The instance types of nodes that exist or are launched next. */
const instanceTypesOf = (groups: readonly NodeGroup[], nodes: readonly Node[]): ReadonlySet<string> =>
  new Set(
    [...nodes, ...groups.flatMap(({ template }) => template?.node ?? [])].flatMap(
      ({ labels }) => labels[INSTANCE_TYPE_LABEL] ?? [],
    ),
  );

function reportRejected(
  { log, metrics }: Pick<Services, 'log' | 'metrics'>,
  rejected: readonly RejectedObject[],
): void {
  const lifting = rejected.filter(({ liftsLimit }) => liftsLimit === true);
  for (const { place, expected, found } of lifting.slice(0, 10)) {
    log.error(`A limit of the cluster is not in force, because it cannot be read: ${place}`, { expected, found });
  }
  if (rejected.length > 0) {
    log.warn(`${rejected.length} objects could not be read; their nodes are excluded`, {
      rejected: rejected.slice(0, 10),
    });
    metrics.count('RejectedObjects', rejected.length);
    metrics.count('NeedsCorrection', lifting.length);
  }
}
