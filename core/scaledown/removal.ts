import { addCount } from '../model/values/counts.ts';
import type { Destination } from '../model/decision.ts';
import { byName } from '../model/values/names.ts';
import { asBeingRemoved } from '../model/cluster/removal-taints.ts';
import type { PodKind } from '../model/snapshot/pod-kind.ts';
import type { NodeInfo, Snapshot } from '../model/snapshot/snapshot.ts';
import { shareOf } from '../estimator/demand.ts';
import type { Load } from '../estimator/load.ts';
import { opensNodes } from '../estimator/placing.ts';
import type { Candidate } from './candidates.ts';
import type { Destinations } from './destinations.ts';

/** What would become of the pods of a node that goes. */
export type Trial =
  | { readonly kind: 'moved'; readonly destinations: readonly Destination[]; readonly infos: readonly NodeInfo[] }
  /** Of these pods at least one finds no other place. */
  | { readonly kind: 'noPlace'; readonly of: PodKind };

/**
 * Tries out whether every pod that must leave a node finds a place on another. If so, the snapshot is left with the
 * pods in their new places: these are taken for whatever is tried next. If not, it is left as it was.
 *
 * What stays of the node until the instance is gone is its taint: such a node still is a domain for topology spread, as
 * it is for kube-scheduler while the node drains.
 *
 * Follows Cluster Autoscaler's `SimulateNodeRemoval`, which forgets that domain for the nodes that it tries next.
 */
export function tryRemoval(snapshot: Snapshot, candidate: Candidate, destinations: Destinations): Trial {
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
  const taken = new Map<NodeInfo, number>();
  snapshot.fork();
  snapshot.removeNode(info);
  snapshot.addNode(asBeingRemoved(info.node), info.group);
  const stuck = moveAll(loads, destinations, taken);
  if (stuck !== null) {
    snapshot.revert();
    for (const to of taken.keys()) {
      destinations.changed(to);
    }
    destinations.learn(stuck, info);
    destinations.open(info);
    return { kind: 'noPlace', of: stuck };
  }
  snapshot.commit();
  return {
    kind: 'moved',
    destinations: [...taken]
      .map(([{ name }, pods]): Destination => ({ node: name, pods }))
      .sort((a, b) => byName(a.node, b.node)),
    infos: [...taken.keys()],
  };
}

/** @returns a kind of which not all pods found a place; `null`: all did. */
function moveAll(loads: readonly Load[], destinations: Destinations, taken: Map<NodeInfo, number>): PodKind | null {
  const note = (info: NodeInfo, count: number): unknown => addCount(taken, info, count);
  let left = loads;
  while (left.length > 0) {
    const still: Load[] = [];
    let moved = 0;
    for (const load of left) {
      const here = destinations.fill(load, note);
      moved += here;
      if (here < load.count) {
        if (!opensNodes(load.kind)) {
          return load.kind;
        }
        still.push({ kind: load.kind, count: load.count - here });
      }
    }
    if (still.length > 0 && moved === 0) {
      return still[0]!.kind;
    }
    left = still;
  }
  return null;
}

/** The pods that must move, by kind: those first that are choosy about their neighbours, then the largest. */
function loadsOf(snapshot: Snapshot, candidate: Candidate): readonly Load[] {
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
        counts.set(kind, counts.get(kind)! - 1);
      }
    }
  }
  return [...counts]
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => ({ kind, count, choosy: isChoosy(kind), size: shareOf(kind, node.allocatable) }))
    .sort((a, b) => Number(b.choosy) - Number(a.choosy) || b.size - a.size || a.kind.id - b.kind.id);
}

const isChoosy = (kind: PodKind): boolean => opensNodes(kind) || kind.spec.podAntiAffinity.length > 0;
