import type { PodKind } from '../model/snapshot/pod-kind.ts';
import type { NodeInfo, Snapshot } from '../model/snapshot/snapshot.ts';
import type { Scheduler } from '../scheduling/scheduler.ts';

/** So many pods of one kind. */
export interface Load {
  readonly kind: PodKind;
  readonly count: number;
}

/** So many pods of one kind on one node. */
export interface Placement {
  readonly kind: PodKind;
  readonly info: NodeInfo;
  readonly count: number;
}

/**
 * Can a placement of such a pod open a node that was closed to it? Spread evens out as domains fill up, and affinity
 * finds its anchor; everything else only ever closes nodes.
 */
export const opensNodes = ({ spec }: PodKind): boolean => spec.podAffinity.length > 0 || spec.topologySpread.length > 0;

/**
 * Puts as many of the pods on the node as the scheduler lets it hold.
 *
 * @param placements what was placed is added to it.
 * @returns how many were placed.
 */
export function fill(
  snapshot: Snapshot,
  scheduler: Scheduler,
  info: NodeInfo,
  { kind, count }: Load,
  placements: Placement[],
): number {
  let placed = 0;
  while (placed < count) {
    const room = scheduler.room(kind, info, count - placed);
    if (room === 0) {
      break;
    }
    snapshot.place(kind, info, room);
    placed += room;
  }
  if (placed > 0) {
    placements.push({ kind, info, count: placed });
  }
  return placed;
}

/** First fit: fills the nodes in their order, again from the first while that opens more places. */
export function sweep(
  snapshot: Snapshot,
  scheduler: Scheduler,
  nodes: readonly (NodeInfo | null)[],
  { kind, count }: Load,
  except: NodeInfo | null,
  placements: Placement[],
): number {
  let placed = 0;
  let before: number;
  do {
    before = placed;
    for (let i = 0; i < nodes.length && placed < count; i++) {
      const info = nodes[i]!;
      if (info !== null && info !== except) {
        placed += fill(snapshot, scheduler, info, { kind, count: count - placed }, placements);
      }
    }
  } while (opensNodes(kind) && placed > before && placed < count);
  return placed;
}
