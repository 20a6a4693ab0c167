import type { Resources } from '../model/resources.ts';
import type { Snapshot } from '../model/snapshot/snapshot.ts';
import type { Scheduler } from '../scheduling/scheduler.ts';
import { decreasing, type Demand } from './demand.ts';
import { sweep } from './placing.ts';

export interface Fitted {
  /** What found no place, in the order of `demands`. */
  readonly left: readonly Demand[];
  /** What did, and is now in the snapshot. */
  readonly fits: readonly Demand[];
}

/**
 * Places pods on the nodes that are there or on their way. Higher priorities first, then in the order in which new
 * nodes are planned: pods for which nodes were bought a moment ago then find the very same places again.
 */
export function fitExisting(
  snapshot: Snapshot,
  scheduler: Scheduler,
  demands: readonly Demand[],
  reference: Resources,
): Fitted {
  const byPriority = decreasing(demands, reference).toSorted(
    (a, b) => (b.kind.spec.priority ?? 0) - (a.kind.spec.priority ?? 0),
  );
  const placed = new Map<Demand['kind'], number>();
  for (const { kind, pods } of byPriority) {
    placed.set(kind, sweep(snapshot, scheduler, snapshot.nodes, { kind, count: pods.length }, null, []));
  }
  const fits: Demand[] = [];
  const left: Demand[] = [];
  for (const { kind, pods } of demands) {
    const count = placed.get(kind) ?? 0;
    if (count > 0) {
      fits.push({ kind, pods: pods.slice(0, count) });
    }
    if (count < pods.length) {
      left.push({ kind, pods: pods.slice(count) });
    }
  }
  return { left, fits };
}
