import { getExisting } from '../../model/values/existing.ts';
import { addCount } from '../../model/values/counts.ts';
import { priorityOf } from '../../model/cluster/pod.ts';
import type { GroupName } from '../../model/values/names.ts';
import type { Resources } from '../../model/values/resources.ts';
import type { SnapshotChange, NodeInfo, Snapshot } from '../../model/snapshot/snapshot.ts';
import { byNumber } from '../../model/values/sorted.ts';
import type { PodKind } from '../../model/snapshot/pod-kind.ts';
import type { Scheduler } from '../../scheduling/scheduler.ts';
import { decreasing, type Demand, type Load, shareOf } from '../../estimator/demand.ts';
import { NodeRow } from '../../estimator/node-row.ts';
import { fill, opensNodes, type Placement, type Placer, placeInTurn } from '../../estimator/placing.ts';
import type { NodeContents, PodsByGroup } from './reservations.ts';
import type { GroupTemplate } from '../../nodegroups/node-templates.ts';

export interface ExistingPlacements {
  /** The pods that found no place, in the order of `demands`. */
  readonly left: readonly Demand[];
  /** The places of all other pods; they are in the snapshot now. */
  readonly placements: readonly Placement[];
  /** Kinds in `left` that no node was checked for: the time was used up. */
  readonly untried: readonly PodKind[];
  /** The reservations did not leave room for all, and all places were given out anew. */
  readonly reservationsReleased: boolean;
  /** Pods with few nodes to choose from, or with affinity or spread, came first, as the usual order left some out. */
  readonly reordered: boolean;
}

export interface PlacementInput {
  readonly snapshot: Snapshot;
  readonly scheduler: Scheduler;
  readonly demands: readonly Demand[];
  readonly templates: ReadonlyMap<GroupName, GroupTemplate>;
  /** The places that earlier evaluations reserved. */
  readonly reservations: PodsByGroup;
  /** The pods that each node holds, where packing would not find these places again. */
  readonly contents: NodeContents;
  /** The resources that a pod's size is measured against where no particular group is in question. */
  readonly reference: Resources;
  /** Kinds of pods that choose first, whatever their size: the evaluation before had no time for them. Absent: none. */
  readonly first?: readonly PodKind[];
}

/** A packing of pods onto existing and upcoming nodes. */
export interface Packing {
  readonly fitted: ExistingPlacements;
  /** Puts the packing onto the snapshot (`Snapshot.redo`). */
  readonly changes: readonly SnapshotChange[];
}

/** Packings sorted by how much they leave out. */
export type Packings = readonly [Packing, ...Packing[]];

/**
 * Packs pods onto existing and upcoming nodes: first the pods that a group was raised for, on the nodes of
 * that group and in the order in which they were planned, so that they find the very same places again; then the
 * other pods, higher priorities first, wherever they fit.
 *
 * If that leaves pods out, alternatives are tried: pods with few nodes to choose from before those with many
 * (`mostConstrainedFirst`), all places given out anew, and pods with affinity or spread before others (`dependentFirst`). No pod is bound to a reserved place yet, and pods that came later,
 * larger ones above all, may fit better when they are not the last to choose. Only pods that go together never lose a
 * place to others that way.
 *
 * The snapshot is left as it was, without any of the packings.
 */
export function packExistingNodes(input: PlacementInput): Packings {
  const { snapshot } = input;
  const usual = usualOrder(input);
  snapshot.fork();
  const fitted = placeAll(input, input.reservations, usual);
  const kept = { fitted, changes: snapshot.revert() };
  return fitted.left.length === 0 || input.scheduler.isTimeUp() ? [kept] : alternativePackings(input, usual, kept);
}

/** The packing that was tried, and the alternatives, with the least left first; of equals the earlier one. */
function alternativePackings(input: PlacementInput, usual: readonly Demand[], kept: Packing): Packings {
  const { snapshot, reference, reservations } = input;
  const packings: [Packing, ...Packing[]] = [kept];
  const scarce = mostConstrainedFirst(input, usual, kept.fitted.left);
  const dependent = dependentFirst(usual, kept.fitted);
  const others = [
    [reservations, scarce],
    [NO_RESERVATIONS, usual],
    [reservations, dependent],
  ] as const;
  for (const [of, order] of others) {
    const reservationsReleased = of === NO_RESERVATIONS;
    if (order === null || (reservationsReleased && reservations.size === 0)) {
      continue;
    }
    snapshot.fork();
    const fitted = {
      ...placeAll(input, of, order, order === dependent),
      reservationsReleased,
      reordered: order !== usual,
    };
    const changes = snapshot.revert();
    if (keepsGangs(fitted.left, kept.fitted.left)) {
      packings.push({ fitted, changes });
    }
    if (fitted.left.length === 0) {
      break;
    }
  }
  const size = new Map(packings.map((packing) => [packing, sizeOf(packing.fitted.left, reference)]));
  return packings.sort((a, b) => getExisting(size, a) - getExisting(size, b));
}

const NO_RESERVATIONS: PodsByGroup = new Map();

/** Higher priorities first, then the larger ones; before all, those that had no turn in the evaluation before. */
function usualOrder({ demands, reference, first = [] }: PlacementInput): readonly Demand[] {
  const usual = decreasing(demands, reference).toSorted(byPriority);
  if (first.length === 0) {
    return usual;
  }
  const byKind = new Map(demands.map((demand) => [demand.kind, demand]));
  return [...new Set([...first.flatMap((kind) => byKind.get(kind) ?? []), ...usual])];
}

/**
 * The usual order with pods of affinity or spread first; `null` where the usual order leaves no such pod out, or places no
 * pod.
 */
function dependentFirst(usual: readonly Demand[], { left, placements }: ExistingPlacements): readonly Demand[] | null {
  if (placements.length === 0 || left.every(({ kind }) => !opensNodes(kind))) {
    return null;
  }
  return usual.toSorted((a, b) => byPriority(a, b) || Number(opensNodes(b.kind)) - Number(opensNodes(a.kind)));
}

const byPriority = (a: Demand, b: Demand): number => priorityOf(b.kind) - priorityOf(a.kind);

/** The budget of scheduler checks for finding out which pods have few nodes to choose from. */
const MAX_SCHEDULER_CHECKS = 50_000;

/**
 * The usual order with the pods first that the fewest nodes would take: pods that fit anywhere otherwise fill the only
 * nodes for the rest. Pods that no node takes as things stand come last; other pods may open a node for them.
 *
 * @param left what the usual order leaves out.
 * @returns `null` where it would change nothing, or is too much to find out.
 */
function mostConstrainedFirst(
  { snapshot, scheduler }: PlacementInput,
  usual: readonly Demand[],
  left: readonly Demand[],
): readonly Demand[] | null {
  if (usual.length < 2) {
    return null;
  }
  const row = new NodeRow(snapshot.nodes);
  const budget = { schedulerChecks: MAX_SCHEDULER_CHECKS };
  const takenBy = ({ kind }: Demand): number => {
    let nodes = 0;
    for (const info of row.withRoomFor(kind)) {
      if (budget.schedulerChecks <= 0) {
        break;
      }
      nodes += Number(scheduler.check(kind, info) === null);
      budget.schedulerChecks -= scheduler.cost(kind);
    }
    return nodes === 0 ? Number.POSITIVE_INFINITY : nodes;
  };
  const choices = new Map(left.map((demand) => [demand.kind, takenBy(demand)]));
  if ([...choices.values()].every((nodes) => nodes === Number.POSITIVE_INFINITY)) {
    return null;
  }
  const others = usual.filter(({ kind }) => !choices.has(kind));
  if (exceeds(budget.schedulerChecks, row, others)) {
    return null;
  }
  for (const demand of others) {
    choices.set(demand.kind, takenBy(demand));
  }
  const order = usual.toSorted(
    (a, b) => byPriority(a, b) || byNumber(getExisting(choices, a.kind), getExisting(choices, b.kind)),
  );
  return order.every((demand, i) => demand === usual[i]) ? null : order;
}

/** Would checking these pods against every node with room for them use up a budget of scheduler checks? */
function exceeds(schedulerChecks: number, row: NodeRow, demands: readonly Demand[]): boolean {
  let left = schedulerChecks;
  for (const { kind } of demands) {
    for (const _ of row.withRoomFor(kind)) {
      left -= 1;
      if (left <= 0) {
        return true;
      }
    }
  }
  return left <= 0;
}

/** CPU and memory of all these pods, each as a share of the reference. */
const sizeOf = (demands: readonly Demand[], reference: Resources): number =>
  demands.reduce((sum, { kind, pods }) => sum + pods.length * shareOf(kind, reference), 0);

/** Has every gang at least as many places as before? */
function keepsGangs(after: readonly Demand[], before: readonly Demand[]): boolean {
  const lost = new Map<string, number>();
  const count = (demands: readonly Demand[], sign: number): void => {
    for (const { kind, pods } of demands) {
      if (kind.gang !== null) {
        addCount(lost, kind.gang, sign * pods.length);
      }
    }
  };
  count(after, 1);
  count(before, -1);
  return [...lost.values()].every((more) => more <= 0);
}

/** @param roomiest pods that must share a domain go where it has the most room. */
function placeAll(
  input: PlacementInput,
  reservations: PodsByGroup,
  order: readonly Demand[],
  roomiest = false,
): ExistingPlacements {
  const { snapshot, scheduler, demands } = input;
  const placer: Placer = { snapshot, scheduler, placements: [] };
  const left = new Map(demands.map(({ kind, pods }) => [kind, pods.length]));
  honorReservations(input, reservations, left, placer);
  const loads = order.map(({ kind }) => ({ kind, count: getExisting(left, kind) }));
  const untried = placeInTurn(placer, new NodeRow(snapshot.nodes), loads, { left, roomiest });
  return {
    untried,
    left: demands
      .map(({ kind, pods }) => ({ kind, pods: pods.slice(pods.length - getExisting(left, kind)) }))
      .filter(({ pods }) => pods.length > 0),
    placements: placer.placements,
    reservationsReleased: false,
    reordered: false,
  };
}

function honorReservations(
  { snapshot, demands, templates, contents }: PlacementInput,
  reservations: PodsByGroup,
  left: Map<PodKind, number>,
  placer: Placer,
): void {
  for (const [group, reserved] of reservations) {
    const template = templates.get(group);
    const row = new NodeRow(snapshot.nodes.filter((info) => info !== null && info.group === group));
    if (template === undefined || row.nodes.length === 0) {
      continue;
    }
    const served = demands.filter(({ kind }) => reserved.has(kind));
    const nodes = contents.get(group);
    if (nodes !== undefined) {
      nodeByNode(placer, row, nodes, left);
      continue;
    }
    const loads = decreasing(served, template.node.allocatable).map(({ kind }) => ({
      kind,
      count: Math.min(getExisting(reserved, kind), getExisting(left, kind)),
    }));
    placeInTurn(placer, row, loads, { left });
  }
}

/** Gives each node what it was to hold: to the first node that takes all of it, or as much of it as still waits. */
function nodeByNode(
  placer: Placer,
  row: NodeRow,
  nodes: readonly (readonly Load[])[],
  left: Map<PodKind, number>,
): void {
  const { snapshot, placements } = placer;
  const used = new Set<NodeInfo>();
  for (const contents of nodes) {
    const loads = contents
      .map(({ kind, count }) => ({ kind, count: Math.min(count, left.get(kind) ?? 0) }))
      .filter(({ count }) => count > 0);
    if (loads.length === 0) {
      continue;
    }
    for (const info of row.nodes) {
      if (used.has(info)) {
        continue;
      }
      const before = placements.length;
      snapshot.fork();
      if (loads.every((load) => fill(placer, info, load) === load.count)) {
        snapshot.commit();
        used.add(info);
        for (const { kind, count } of loads) {
          left.set(kind, getExisting(left, kind) - count);
        }
        break;
      }
      snapshot.revert();
      placements.length = before;
    }
  }
}
