import type { Pod } from '../../../core/model/cluster/pod.ts';
import type { ClusterObjects } from '../../../core/model/scenario.ts';
import { clusterSnapshot } from '../../../core/scheduling/cluster-snapshot.ts';
import type { Plugin, Rejection } from '../../../core/scheduling/plugin.ts';
import { createScheduler, type Scheduler } from '../../../core/scheduling/scheduler.ts';
import { clusterObjects } from '../../builders.ts';

/** The scheduler's verdict on each node: `null` where the pod may go. */
export function verdicts(
  pending: Pod,
  cluster: Partial<ClusterObjects>,
  plugins?: readonly Plugin[],
): Readonly<Record<string, Rejection | null>> {
  const objects = clusterObjects(cluster);
  const snapshot = clusterSnapshot(objects, [pending]);
  const scheduler = createScheduler(snapshot, objects, plugins);
  const kind = snapshot.kindOf(pending);
  return Object.fromEntries(snapshot.nodes.map((info) => [info!.name, scheduler.check(kind, info!)]));
}

/** Per node: `ok`, or the plugin that says no. */
export const fit = (pending: Pod, cluster: Partial<ClusterObjects>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(verdicts(pending, cluster)).map(([name, rejection]) => [name, rejection?.plugin ?? 'ok']),
  );

/** The one node's verdict: `ok`, or the first reason. */
export function reason(pending: Pod, cluster: Partial<ClusterObjects>): string {
  const [verdict] = Object.values(verdicts(pending, cluster));
  return verdict?.reasons[0] ?? 'ok';
}

/**
 * How many pods of the kind fit on the cluster's first node, by `room`, and by placing one after another until `check`
 * says no (50 at most): both must tell the same.
 */
export function rooms(
  pending: Pod,
  cluster: Partial<ClusterObjects>,
): { readonly room: number; readonly placed: number } {
  const objects = clusterObjects(cluster);
  const snapshot = clusterSnapshot(objects, [pending]);
  const scheduler: Scheduler = createScheduler(snapshot, objects);
  const kind = snapshot.kindOf(pending);
  const info = snapshot.nodes[0]!;
  const room = scheduler.room(kind, info, 50);
  let placed = 0;
  while (placed < 50 && scheduler.check(kind, info) === null) {
    snapshot.place(kind, info);
    placed++;
  }
  return { room, placed };
}
