import type { NodeInfo, Snapshot } from '../model/snapshot/snapshot.ts';
import type { Scheduler } from '../scheduling/scheduler.ts';
import { fill, type Load, opensNodes, type Placement, sweep } from './placing.ts';

export interface Estimate {
  /** New nodes that hold at least one of the pods, in the order of their making. */
  readonly nodes: readonly NodeInfo[];
  readonly placements: readonly Placement[];
}

export interface EstimatorInput {
  readonly snapshot: Snapshot;
  readonly scheduler: Scheduler;
  /** In the order in which they are to be placed. */
  readonly loads: readonly Load[];
  /** Puts the next new node into the snapshot; `null` when no more may be added. */
  readonly addNode: () => NodeInfo | null;
}

/**
 * First-fit-decreasing by count: every kind goes onto the nodes made so far, first ones first, then onto new ones. A
 * kind that does not fit on a fresh node is left out, and the fresh node is kept for those that follow.
 *
 * The snapshot is left as planned (fork it before); a last node that nobody needed is taken out again.
 *
 * Follows Cluster Autoscaler's binpacking_estimator.go. The difference is in the arithmetic only: where pods do not
 * constrain each other, a node is given as many as it holds at once.
 */
export function estimate({ snapshot, scheduler, loads, addNode }: EstimatorInput): Estimate {
  const created: NodeInfo[] = [];
  const placements: Placement[] = [];
  let fresh: NodeInfo | null = null;
  let exhausted = false;

  for (const load of loads) {
    // Spread constraints and affinity may open a node that was there before the plan: a place without a new node.
    const others = opensNodes(load.kind) ? snapshot.nodes : created;
    const place = (wanted: number): number =>
      sweep(snapshot, scheduler, others, { kind: load.kind, count: wanted }, fresh, placements);
    let left = load.count - place(load.count);
    while (left > 0) {
      if (fresh === null && !exhausted) {
        fresh = addNode();
        exhausted = fresh === null;
      }
      if (fresh === null) {
        break;
      }
      const placed = fill(snapshot, scheduler, fresh, { kind: load.kind, count: left }, placements);
      if (placed === 0) {
        break;
      }
      created.push(fresh);
      fresh = null;
      left -= placed;
      if (left > 0 && opensNodes(load.kind)) {
        left -= place(left);
      }
    }
  }
  if (fresh !== null) {
    snapshot.removeNode(fresh);
  }
  return { nodes: created, placements };
}
