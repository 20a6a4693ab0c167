import type { NodeInfo } from '../model/snapshot/snapshot.ts';
import { NodeRow } from './node-row.ts';
import type { Load } from './demand.ts';
import { fill, firstFit, opensNodes, type Placement, type Placer } from './placing.ts';

export interface Estimate {
  /** New nodes, in the order of their making; each holds at least one of the pods. */
  readonly nodes: readonly NodeInfo[];
  readonly placements: readonly Placement[];
  /** `stop` ended it: this is only a part of the plan. */
  readonly incomplete: boolean;
}

export interface EstimatorInput extends Omit<Placer, 'placements'> {
  /** In the order in which they are to be placed. */
  readonly loads: readonly Load[];
  /**
   * Puts the next new node into the snapshot and offers it: the callback fills it and says whether it is of use. One
   * that is not is taken out again, and another kind of node may be offered. `false` when none was of use.
   */
  readonly offerNode: (use: (info: NodeInfo) => boolean) => boolean;
  /** Asked after each new node: has the plan already lost? */
  readonly stop?: (nodes: number) => boolean;
}

/**
 * First-fit-decreasing by count: every kind goes onto the nodes made so far, first ones first, then onto new ones; what
 * a fresh node does not hold is left out.
 *
 * The snapshot is left as planned: fork it before.
 *
 * Follows Cluster Autoscaler's binpacking_estimator.go. The difference is in the arithmetic only: where pods do not
 * constrain each other, a node is given as many as it holds at once.
 */
export function estimate({ snapshot, scheduler, loads, offerNode, stop }: EstimatorInput): Estimate {
  const created = new NodeRow();
  const placer: Placer = { snapshot, scheduler, placements: [] };
  // Spread constraints and affinity may open a node that was there before the plan: a place without a new node.
  const everywhere = loads.some(({ kind }) => opensNodes(kind)) ? [created, new NodeRow(snapshot.nodes)] : [created];
  let incomplete = false;
  for (const { kind, count } of loads) {
    const rows = opensNodes(kind) ? everywhere : [created];
    let left = count - firstFit(placer, rows, { kind, count });
    const use = (info: NodeInfo): boolean => {
      const placed = fill(placer, info, { kind, count: left });
      if (placed > 0) {
        created.add(info);
        left -= placed;
      }
      return placed > 0;
    };
    while (left > 0 && !incomplete && offerNode(use)) {
      incomplete = stop?.(created.nodes.length) ?? false;
      if (left > 0 && rows === everywhere) {
        left -= firstFit(placer, rows, { kind, count: left });
      }
    }
    if (incomplete) {
      break;
    }
  }
  return { nodes: created.nodes, placements: placer.placements, incomplete };
}
