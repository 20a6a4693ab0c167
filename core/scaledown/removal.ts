import { getExisting } from '../model/values/existing.ts';
import { addCount } from '../model/values/counts.ts';
import type { Destination } from '../model/decision.ts';
import { byName } from '../model/values/names.ts';
import { asBeingRemoved } from '../model/cluster/removal-taints.ts';
import type { Resources } from '../model/values/resources.ts';
import type { PodKind } from '../model/snapshot/pod-kind.ts';
import type { NodeInfo, Snapshot } from '../model/snapshot/snapshot.ts';
import { type Load, shareOf } from '../estimator/demand.ts';
import { fillNode, opensNodes, type SnapshotScheduler } from '../estimator/placing.ts';
import type { TrialCandidate } from './candidates.ts';
import type { Destinations } from './destinations.ts';
import type { RemovalTaintToleration } from './removal-taint-toleration.ts';

/** The result of moving the pods of a node to other nodes. */
export type Trial =
  | { readonly kind: 'moved'; readonly destinations: readonly Destination[]; readonly infos: readonly NodeInfo[] }
  /** At least one pod of this kind finds no place. */
  | { readonly kind: 'noPlace'; readonly of: PodKind };

/**
 * Tries out whether every pod that must leave a node finds a place on another. If so, the snapshot is left with the
 * pods in their new places: these are taken for whatever is tried next. If not, it is left as it was.
 *
 * Until its instance is gone the node itself stays, with its taint: such a node still is a domain for topology spread,
 * as for kube-scheduler while the node drains.
 *
 * Follows Cluster Autoscaler's `SimulateNodeRemoval`, which drops the domain for the nodes that it tries next.
 *
 * @param isLast of pods that are placed after all others.
 */
export function tryRemoval(
  snapshot: Snapshot,
  candidate: TrialCandidate,
  destinations: Destinations,
  isLast: RemovalTaintToleration,
): Trial {
  const { info } = candidate;
  const loads = loadsOf(snapshot, candidate);
  destinations.close(info);
  if (loads.length === 0) {
    return { kind: 'moved', destinations: [], infos: [] };
  }
  const hopeless = loads.find(({ kind }) => destinations.hasNone(kind));
  if (hopeless !== undefined) {
    destinations.open(info);
    return { kind: 'noPlace', of: hopeless.kind };
  }
  const podsByDestination = new Map<NodeInfo, number>();
  snapshot.fork();
  startRemoval(snapshot, info);
  const note = (to: NodeInfo, count: number): unknown => addCount(podsByDestination, to, count);
  const [stuck] = moveAway(loads, destinations, note, { all: false, isLast });
  if (stuck === undefined) {
    snapshot.commit();
    return { kind: 'moved', destinations: destinationsIn(podsByDestination), infos: [...podsByDestination.keys()] };
  }
  snapshot.revert();
  for (const to of podsByDestination.keys()) {
    destinations.changed(to);
  }
  destinations.learn(stuck.kind, info);
  destinations.open(info);
  return { kind: 'noPlace', of: stuck.kind };
}

/** The number of pods that each node takes, by name. */
export const destinationsIn = (podsByDestination: ReadonlyMap<NodeInfo, number>): readonly Destination[] =>
  [...podsByDestination]
    .map(([{ name }, pods]): Destination => ({ node: name, pods }))
    .sort((a, b) => byName(a.node, b.node));

/** Has a node be in the snapshot as it is while it drains: with its taint, and without its pods. */
export function startRemoval(snapshot: Snapshot, info: NodeInfo): void {
  snapshot.removeNode(info);
  snapshot.addNode(asBeingRemoved(info.node), info.group);
}

/** Notified of every node that takes some pods. */
type Note = (info: NodeInfo, count: number) => unknown;

/**
 * Moves pods off nodes to be removed, as many as find a place. Pods that accept leftover capacity are placed last:
 * kube-scheduler has placed the other pods by then, as far as can be told on the emptiest nodes, and not where they
 * would leave the most capacity.
 *
 * @param note notified of every node that takes some.
 * @returns pods without a place: all of them, or without `all` at least one.
 */
export function moveAway(
  loads: readonly Load[],
  destinations: Pick<Destinations, 'fill' | 'fillEmptiest'>,
  note: Note,
  { all, isLast }: { readonly all: boolean; readonly isLast: RemovalTaintToleration },
): readonly Load[] {
  const last = loads.filter(({ kind }) => isLast(kind));
  if (last.length === 0 || last.length === loads.length) {
    return moveAll(loads, destinations, note, all);
  }
  const first = loads.filter((load) => !last.includes(load));
  const fill: Destinations['fill'] = (load, placed) => destinations.fillEmptiest(load, placed);
  const stuck = moveAll(first, { fill }, note, all);
  return stuck.length > 0 && !all ? stuck : [...stuck, ...moveAll(last, destinations, note, all)];
}

/**
 * Moves pods to other nodes, as many as find a place.
 *
 * @param note notified of every node that takes some.
 * @param all go on where a pod finds no place.
 * @returns pods without a place: all of them, or without `all` at least one.
 */
function moveAll(
  loads: readonly Load[],
  destinations: Pick<Destinations, 'fill'>,
  note: Note,
  all: boolean,
): readonly Load[] {
  const stuck: Load[] = [];
  let left = loads;
  while (left.length > 0) {
    const still: Load[] = [];
    let moved = 0;
    for (const load of left) {
      const here = destinations.fill(load, note);
      moved += here;
      if (here === load.count) {
        continue;
      }
      const rest = { kind: load.kind, count: load.count - here };
      if (opensNodes(load.kind)) {
        still.push(rest);
      } else {
        stuck.push(rest);
        if (!all) {
          return stuck;
        }
      }
    }
    if (still.length > 0 && moved === 0) {
      return [...stuck, ...still];
    }
    left = still;
  }
  return stuck;
}

/** Puts the pods onto one node. @returns those that find no place there. */
export function fillUp(on: SnapshotScheduler, info: NodeInfo, loads: readonly Load[]): readonly Load[] {
  const fill = (load: Load): number => fillNode(on, info, load);
  return moveAll(loads, { fill }, () => undefined, true);
}

/** The pods that must move, in the order in which they do. */
export function loadsOf(snapshot: Snapshot, candidate: TrialCandidate): readonly Load[] {
  const {
    info,
    pods,
    node,
    drain: { move },
  } = candidate;
  if (move.length === 0) {
    return [];
  }
  const counts = new Map(info.pods);
  if (move.length < pods.length) {
    const moves = new Set(move);
    for (const pod of pods) {
      if (!moves.has(pod)) {
        const kind = snapshot.kindOf(pod);
        counts.set(kind, getExisting(counts, kind) - 1);
      }
    }
  }
  return inMovingOrder(counts, node.allocatable);
}

/** Pods by kind: first kinds that are choosy about their neighbors, then the largest. */
export const inMovingOrder = (counts: ReadonlyMap<PodKind, number>, allocatable: Resources): readonly Load[] =>
  [...counts]
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => ({ kind, count, choosy: isChoosy(kind), size: shareOf(kind, allocatable) }))
    .sort((a, b) => Number(b.choosy) - Number(a.choosy) || b.size - a.size || a.kind.id - b.kind.id);

const isChoosy = (kind: PodKind): boolean => opensNodes(kind) || kind.spec.podAntiAffinity.length > 0;
