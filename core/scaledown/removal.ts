import { getExisting } from '../model/values/existing.ts';
import { priorityOf } from '../model/cluster/pod.ts';
import { addCount } from '../model/values/counts.ts';
import type { Destination } from '../model/decision.ts';
import { byName } from '../model/values/names.ts';
import { asBeingRemoved } from '../model/cluster/removal-taints.ts';
import { largestShare, type Resources } from '../model/values/resources.ts';
import type { PodKind } from '../model/snapshot/pod-kind.ts';
import type { NodeInfo, Snapshot } from '../model/snapshot/snapshot.ts';
import { shareOf } from '../estimator/demand.ts';
import type { Load } from '../estimator/load.ts';
import { fillNode, opensNodes, type PlacingOn } from '../estimator/placing.ts';
import type { TrialCandidate } from './candidates.ts';
import type { Destinations } from './destinations.ts';
import type { PlacedLast } from './placed-last.ts';

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
 * @param atOnce whether budgets allow all evictions at once, and so in their order.
 */
export function tryRemoval(
  snapshot: Snapshot,
  candidate: TrialCandidate,
  destinations: Destinations,
  { isLast, atOnce }: { readonly isLast: PlacedLast; readonly atOnce: boolean },
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
  const evicted = atOnce ? asEvicted(loads, candidate.node.allocatable, isLast) : null;
  const contested = asGivenRoom(loads, snapshot, isLast);
  const inTurns = (turns: Turns | null): readonly Way[] =>
    turns === null ? [] : [(note) => moveInTurns(turns, destinations, note, false)];
  const ways: readonly Way[] = [
    (note) => moveAway(loads, destinations, note, { all: false, isLast }),
    ...inTurns(evicted),
    ...inTurns(contested),
  ];
  let stuck: PodKind | null = null;
  for (const [turn, way] of ways.entries()) {
    const taken = new Map<NodeInfo, number>();
    snapshot.fork();
    snapshot.removeNode(info);
    snapshot.addNode(asBeingRemoved(info.node), info.group);
    const [left] = way((to, count) => addCount(taken, to, count));
    const isHeld = contested === null || turn === ways.length - 1 || !makeRoom(snapshot, taken.keys());
    if (left === undefined && isHeld) {
      snapshot.commit();
      return {
        kind: 'moved',
        destinations: [...taken]
          .map(([{ name }, pods]): Destination => ({ node: name, pods }))
          .sort((a, b) => byName(a.node, b.node)),
        infos: [...taken.keys()],
      };
    }
    stuck ??= left?.kind ?? null;
    snapshot.revert();
    for (const to of taken.keys()) {
      destinations.changed(to);
    }
  }
  destinations.learn(stuck!, info);
  destinations.open(info);
  return { kind: 'noPlace', of: stuck! };
}

/** Notified of every node that takes some pods. */
type Note = (info: NodeInfo, count: number) => void;

/** Moves pods; returns a pod without a place, if any. */
type Way = (note: Note) => readonly Load[];

/** Pods to move to the emptiest nodes first, and pods to move to the capacity left by the former. */
interface Turns {
  readonly first: readonly Load[];
  readonly last: readonly Load[];
}

/**
 * The order of evictions: pods of the lowest priority first, of these the largest. So a pod that never preempts is
 * placed before later evictions can take its place.
 *
 * @returns `null` where either all of the pods or none never preempt.
 */
function asEvicted(loads: readonly Load[], allocatable: Resources, isLast: PlacedLast): Turns | null {
  const { first = [], last = [] } = Object.groupBy(loads, ({ kind }) =>
    isLast(kind) === 'StaysToTheEnd' ? 'last' : 'first',
  );
  const never = first.filter(({ kind }) => isLast(kind) === 'NeverPreempts');
  if (never.length === 0 || never.length === first.length) {
    return null;
  }
  const sizes = new Map(first.map((load) => [load, largestShare(load.kind.requests, allocatable)]));
  const order = first.toSorted(
    (a, b) => priorityOf(a.kind) - priorityOf(b.kind) || getExisting(sizes, b) - getExisting(sizes, a),
  );
  return { first: order, last };
}

/**
 * The order in which kube-scheduler gives pods the room that expendable ones have to leave: until these are gone, a pod of a higher
 * priority takes what was being cleared for another one.
 *
 * @returns `null` where no pod is expendable, or all of the others are of one priority, or some never preempt.
 */
function asGivenRoom(loads: readonly Load[], { expendable }: Snapshot, isLast: PlacedLast): Turns | null {
  if (expendable.size === 0) {
    return null;
  }
  const { first = [], last = [] } = Object.groupBy(loads, ({ kind }) => (isLast(kind) === null ? 'first' : 'last'));
  const isContested =
    new Set(first.map(({ kind }) => priorityOf(kind))).size > 1 &&
    last.every(({ kind }) => isLast(kind) === 'StaysToTheEnd');
  return isContested ? { first: first.toSorted((a, b) => priorityOf(b.kind) - priorityOf(a.kind)), last } : null;
}

/** Do expendable pods have to leave some of these nodes? */
const makeRoom = ({ expendable }: Snapshot, infos: Iterable<NodeInfo>): boolean =>
  [...infos].some(({ name, free }) =>
    (expendable.get(name) ?? []).some((requested, index) => (free[index] ?? 0) < requested),
  );

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
  { all, isLast }: { readonly all: boolean; readonly isLast: PlacedLast },
): readonly Load[] {
  const last = loads.filter(({ kind }) => isLast(kind) !== null);
  return last.length === 0 || last.length === loads.length
    ? moveAll(loads, destinations, note, all)
    : moveInTurns({ first: loads.filter((load) => !last.includes(load)), last }, destinations, note, all);
}

function moveInTurns(
  { first, last }: Turns,
  destinations: Pick<Destinations, 'fill' | 'fillEmptiest'>,
  note: Note,
  all: boolean,
): readonly Load[] {
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
export function fillUp(on: PlacingOn, info: NodeInfo, loads: readonly Load[]): readonly Load[] {
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
