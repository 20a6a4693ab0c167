import type { GroupName } from '../../model/names.ts';
import type { Resources } from '../../model/resources.ts';
import type { NodeInfo, Snapshot } from '../../model/snapshot/snapshot.ts';
import type { PodKind } from '../../model/snapshot/pod-kind.ts';
import type { Scheduler } from '../../scheduling/scheduler.ts';
import { decreasing, type Demand, shareOf } from '../../packing/demand.ts';
import { NodeRow } from '../../packing/node-row.ts';
import { inOrder, type PlacesMethod, USUAL_PLACES } from '../../packing/packing-method.ts';
import { fill, type Load, type Placement, type Placer, sweep } from '../../packing/placing.ts';
import type { Promises } from '../promises/promises.ts';
import type { GroupTemplate } from '../groups/templates.ts';

export interface Fitted {
  /** What found no place, in the order of `demands`. */
  readonly left: readonly Demand[];
  /** Where the others found one; they are in the snapshot now. */
  readonly placements: readonly Placement[];
  /** The promises did not leave room for all, and all places were given out anew. */
  readonly anew: boolean;
}

export interface FitInput {
  readonly snapshot: Snapshot;
  readonly scheduler: Scheduler;
  readonly demands: readonly Demand[];
  readonly templates: ReadonlyMap<GroupName, GroupTemplate>;
  /** What earlier evaluations bought for whom. */
  readonly promises: Promises;
  /** How these places were found, for groups where not as usual. */
  readonly methods: ReadonlyMap<GroupName, PlacesMethod>;
  /** Nodes on their way that only pods with a promise may use: they were bought beyond the plan. */
  readonly spare: ReadonlySet<NodeInfo>;
  /** What a pod's size is measured against where no particular group is in question. */
  readonly reference: Resources;
}

/**
 * Places pods on the nodes that are there or on their way: first those that a group was raised for, on the nodes of
 * that group and in the order in which they were planned, so that they find the very same places again; then the
 * others, higher priorities first, wherever they fit.
 *
 * Where that leaves pods out, all places are given out anew. Nobody sits on a promised place yet, and pods that came
 * later, larger ones above all, may fit better when they are not the last to choose. Only pods that go together never lose
 * a place to others that way.
 */
export function fitExisting(input: FitInput): Fitted {
  const { snapshot, reference } = input;
  snapshot.fork();
  const kept = placeAll(input, input.promises);
  if (kept.left.length === 0 || input.promises.size === 0) {
    snapshot.commit();
    return kept;
  }
  snapshot.revert();
  snapshot.fork();
  const anew = placeAll(input, new Map());
  if (sizeOf(anew.left, reference) < sizeOf(kept.left, reference) && keepsSets(anew.left, kept.left)) {
    snapshot.commit();
    return { ...anew, anew: true };
  }
  snapshot.revert();
  return placeAll(input, input.promises);
}

/** CPU and memory of all these pods, each as a share of the reference. */
const sizeOf = (demands: readonly Demand[], reference: Resources): number =>
  demands.reduce((sum, { kind, pods }) => sum + pods.length * shareOf(kind, reference), 0);

/** Has every set of pods that go together at least as many places as before? */
function keepsSets(after: readonly Demand[], before: readonly Demand[]): boolean {
  const lost = new Map<string, number>();
  const count = (demands: readonly Demand[], sign: number): void => {
    for (const { kind, pods } of demands) {
      if (kind.atomicSet !== null) {
        lost.set(kind.atomicSet, (lost.get(kind.atomicSet) ?? 0) + sign * pods.length);
      }
    }
  };
  count(after, 1);
  count(before, -1);
  return [...lost.values()].every((more) => more <= 0);
}

function placeAll(input: FitInput, promises: Promises): Fitted {
  const { snapshot, scheduler, demands, reference, spare } = input;
  const placer: Placer = { snapshot, scheduler, placements: [] };
  const left = new Map(demands.map(({ kind, pods }) => [kind, pods.length]));
  keepPromises(input, promises, left, placer);
  const row = new NodeRow(
    spare.size === 0 ? snapshot.nodes : snapshot.nodes.filter((info) => info !== null && !spare.has(info)),
  );
  const byPriority = decreasing(demands, reference).toSorted(
    (a, b) => (b.kind.spec.priority ?? 0) - (a.kind.spec.priority ?? 0),
  );
  for (const { kind } of byPriority) {
    const count = left.get(kind)!;
    left.set(kind, count - sweep(placer, [row], { kind, count }));
  }
  return {
    left: demands
      .map(({ kind, pods }) => ({ kind, pods: pods.slice(pods.length - left.get(kind)!) }))
      .filter(({ pods }) => pods.length > 0),
    placements: placer.placements,
    anew: false,
  };
}

function keepPromises(
  { snapshot, demands, templates, methods }: FitInput,
  promises: Promises,
  left: Map<PodKind, number>,
  placer: Placer,
): void {
  for (const [group, promised] of promises) {
    const template = templates.get(group);
    const row = new NodeRow(snapshot.nodes.filter((info) => info !== null && info.group === group));
    if (template === undefined || row.length === 0) {
      continue;
    }
    const served = demands.filter(({ kind }) => promised.has(kind));
    const { method, nodes } = methods.get(group) ?? USUAL_PLACES;
    if (nodes.length > 0) {
      nodeByNode(placer, row, nodes, left);
      continue;
    }
    for (const { kind } of inOrder(served, template.node.allocatable, method)) {
      const count = Math.min(promised.get(kind)!, left.get(kind)!);
      left.set(kind, left.get(kind)! - sweep(placer, [row], { kind, count }, method.fit));
    }
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
  for (const promised of nodes) {
    const loads = promised
      .map(({ kind, count }) => ({ kind, count: Math.min(count, left.get(kind) ?? 0) }))
      .filter(({ count }) => count > 0);
    for (const info of loads.length === 0 ? [] : row.nodes) {
      if (used.has(info)) {
        continue;
      }
      const before = placements.length;
      snapshot.fork();
      if (loads.every((load) => fill(placer, info, load) === load.count)) {
        snapshot.commit();
        used.add(info);
        for (const { kind, count } of loads) {
          left.set(kind, left.get(kind)! - count);
        }
        break;
      }
      snapshot.revert();
      placements.length = before;
    }
  }
}
