import { getExisting } from '../model/values/existing.ts';
import { faultOf } from '../model/fault.ts';
import { countBy } from '../model/values/counts.ts';
import { CPU, MEMORY } from '../model/values/resources.ts';
import type { PodKind } from '../model/snapshot/pod-kind.ts';
import type { NodeInfo, Snapshot } from '../model/snapshot/snapshot.ts';
import { budgeted } from '../scheduling/budgeted-scheduler.ts';
import type { Scheduler } from '../scheduling/scheduler.ts';
import { type Demand, demandsWithout, type Load, loadsIn } from './demand.ts';
import { NodeRow } from './node-row.ts';

/** A number of pods of one kind on one node. */
export interface Placement {
  readonly kind: PodKind;
  readonly info: NodeInfo;
  readonly count: number;
}

/** A snapshot with the scheduler that follows it. */
export interface SnapshotScheduler {
  readonly snapshot: Snapshot;
  readonly scheduler: Scheduler;
}

/** Puts pods onto nodes of one snapshot, and notes where. */
export interface Placer extends SnapshotScheduler {
  readonly placements: Placement[];
}

/**
 * Can a placement of such a pod open a node that was closed to it? Spread evens out as domains fill up, and affinity
 * finds its anchor; everything else only ever closes nodes.
 */
export const opensNodes = ({ spec }: PodKind): boolean => spec.podAffinity.length > 0 || spec.topologySpread.length > 0;

/** Puts as many of the pods on the node as the scheduler lets it hold, and notes that. @returns the number placed. */
export function fill(placer: Placer, info: NodeInfo, load: Load): number {
  const placed = fillNode(placer, info, load);
  if (placed > 0) {
    placer.placements.push({ kind: load.kind, info, count: placed });
  }
  return placed;
}

/** Puts as many of the pods on the node as the scheduler lets it hold. @returns the number placed. */
export function fillNode({ snapshot, scheduler }: SnapshotScheduler, info: NodeInfo, { kind, count }: Load): number {
  let placed = 0;
  while (placed < count) {
    const room = scheduler.room(kind, info, count - placed);
    if (room === 0) {
      break;
    }
    placeOn(snapshot, kind, info, room);
    placed += room;
  }
  return placed;
}

/** Puts pods onto a node; an exception names the pods and the node. */
function placeOn(snapshot: Snapshot, kind: PodKind, info: NodeInfo, count: number): void {
  try {
    snapshot.place(kind, info, count);
  } catch (error) {
    throw faultOf(error, { kind: 'pods', of: kind });
  }
}

/** Less than any node has free, and more than what a node that is passed by has (`NodeRow.close`). */
const ANY = -Number.MAX_VALUE;

/**
 * Fills the nodes in their order, and again from the first one as long as that opens more places.
 *
 * @returns the number placed.
 */
export function firstFit(placer: Placer, rows: readonly NodeRow[], load: Load): number {
  const { kind, count } = load;
  const [cpu, memory, pods] = placer.scheduler.preempts(kind)
    ? [ANY, ANY, ANY]
    : [kind.requests[CPU] ?? 0, kind.requests[MEMORY] ?? 0, 1];
  let placed = 0;
  let left = load;
  for (let before = -1; placed > before && placed < count;) {
    before = opensNodes(kind) ? placed : count;
    for (const row of rows) {
      for (let i = row.next(0, cpu, memory, pods); i >= 0 && placed < count; i = row.next(i + 1, cpu, memory, pods)) {
        const here = fill(placer, row.at(i), left);
        if (here > 0) {
          row.changed(i);
          placed += here;
          left = { kind, count: count - placed };
        }
      }
    }
  }
  return placed;
}

/** Fills the nodes on the snapshot with pods, one kind after another. @returns the pods without a place. */
export function placeOnSnapshot(placer: Placer, demands: readonly Demand[]): readonly Demand[] {
  const row = new NodeRow(placer.snapshot.nodes);
  const loads = loadsIn(demands);
  const placed = loads.map((load) => ({ kind: load.kind, count: firstFit(placer, [row], load) }));
  return demandsWithout(demands, placed);
}

/** The budget of scheduler checks for placing loads again, and for finding the domain with the most room. */
const MAX_SCHEDULER_CHECKS = 50_000;

interface Turns {
  /** Pods without a place, by kind: placed pods are subtracted. */
  readonly left: Map<PodKind, number>;
  /** Pods that must share a domain go to the domain with the most room, not to the first node. */
  readonly roomiest?: boolean;
  /** No node had room for the loads before. */
  readonly again?: boolean;
}

/**
 * Places loads in their order. Loads with affinity or spread are placed again as long as other pods have found places since,
 * within a budget of scheduler checks.
 *
 * @returns the kinds that no node was checked for: the time was used up.
 */
export function placeInTurn(
  placer: Placer,
  row: NodeRow,
  loads: readonly Load[],
  { left, roomiest = false, again = false }: Turns,
): readonly PodKind[] {
  const untried = new Map(loads.map((load) => [load.kind, load]));
  const limited = { ...placer, scheduler: budgeted(placer.scheduler) };
  const hasBudget = (): boolean => limited.scheduler.schedulerChecks() < MAX_SCHEDULER_CHECKS;
  let on = again ? limited : placer;
  for (let round = loads; round.length > 0; on = limited) {
    const refused: { readonly load: Load; readonly placed: number }[] = [];
    for (const { kind, count } of round) {
      if (placer.scheduler.isTimeUp() || (on === limited && !hasBudget())) {
        break;
      }
      const rows = [roomiest && hasBudget() ? byRoomOfDomain(limited, row, { kind, count }) : row];
      const placed = firstFit(on, rows, { kind, count });
      left.set(kind, getExisting(left, kind) - placed);
      untried.delete(kind);
      if (placed < count && opensNodes(kind)) {
        refused.push({ load: { kind, count: count - placed }, placed: placer.placements.length });
      }
    }
    round = refused.filter(({ placed }) => placed < placer.placements.length).map(({ load }) => load);
  }
  return [...untried.values()].filter(({ count }) => count > 0).map(({ kind }) => kind);
}

/** The nodes, sorted by the room of the domain of the first affinity term, the most room first. */
function byRoomOfDomain({ scheduler }: Placer, row: NodeRow, { kind, count }: Load): NodeRow {
  const topologyKey = kind.spec.podAffinity[0]?.topologyKey;
  if (topologyKey === undefined) {
    return row;
  }
  const domainOf = ({ node }: NodeInfo): string | undefined => node.labels[topologyKey];
  const room = countBy(row.nodes, domainOf, (info) => scheduler.room(kind, info, count));
  return new NodeRow(row.nodes.toSorted((a, b) => getExisting(room, domainOf(b)) - getExisting(room, domainOf(a))));
}
