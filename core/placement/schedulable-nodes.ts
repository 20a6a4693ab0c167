import { HOSTNAME_LABEL, type Node } from '../model/cluster/node.ts';
import { controllerKeyOf, isMirror, type Pod } from '../model/cluster/pod.ts';
import { about } from '../model/fault.ts';
import type { PodKind } from '../model/snapshot/pod-kind.ts';
import { PODS_INDEX } from '../model/snapshot/resource-table.ts';
import type { NodeInfo } from '../model/snapshot/snapshot.ts';
import { addCount, mapAt } from '../model/values/counts.ts';
import type { NodeName } from '../model/values/names.ts';
import { getOptional } from '../model/values/optional.ts';
import { homeOf } from '../scheduling/cluster-snapshot.ts';
import { withoutAwaitingPodsTaint } from './nodes-awaiting-pods.ts';
import { type PlannedCluster, podsByNode } from './planned-pods.ts';

/** A node that opens, as it really is. */
export interface SchedulableNode {
  readonly name: NodeName;
  readonly info: NodeInfo;
  /** The pods that the plan places on the node. */
  readonly planned: readonly Pod[];
  readonly nominated: Set<Pod>;
  /** Kinds of nominated pods that are spread over hosts: they must be accepted beside every further pod. */
  readonly spread: Set<PodKind>;
}

/** The nodes that open, released and with their own pods; of everything else what kube-scheduler sees. */
export function schedulableNodesIn(
  cluster: PlannedCluster,
  held: readonly Node[],
  nodes: readonly Node[],
): readonly SchedulableNode[] {
  const { snapshot, objects, templates } = cluster;
  const names = new Set(held.map(({ name }) => name));
  const own = podsOn(names, objects.pods);
  const planned = podsByNode(cluster, names);
  const promised = promisedOn(cluster, planned);
  clearPlaces(cluster);
  const opening = new Set(nodes.map(({ name }) => name));
  for (const node of held.filter(({ name }) => !opening.has(name))) {
    replace(cluster, node, own.get(node.name) ?? []);
  }
  return nodes.map((node) => {
    const { name } = node;
    return about({ kind: 'node', node: name }, () => {
      const there = own.get(name) ?? [];
      const represented = new Set(there.map(controllerKeyOf));
      const template = getOptional(templates, snapshot.byName(name)?.group);
      const coming = (template?.pods ?? []).filter((pod) => !isMirror(pod) && !represented.has(controllerKeyOf(pod)));
      const info = replace(cluster, withoutAwaitingPodsTaint(node), [...there, ...coming]);
      for (const [kind, count] of promised.get(name) ?? []) {
        if (count > 0) {
          snapshot.place(kind, info, count);
        }
      }
      return { name, info, planned: planned.get(name) ?? [], nominated: new Set(), spread: new Set() };
    });
  });
}

function podsOn(nodes: ReadonlySet<NodeName>, pods: readonly Pod[]): ReadonlyMap<NodeName, readonly Pod[]> {
  const on = new Map<NodeName, Pod[]>([...nodes].map((name) => [name, []]));
  for (const pod of pods) {
    const home = homeOf(pod);
    if (home !== null) {
      on.get(home)?.push(pod);
    }
  }
  return on;
}

/** The places of pods that are not to be nominated, by node: virtual pods, and pods that move from other nodes. */
function promisedOn(
  { snapshot, placements, booked }: PlannedCluster,
  planned: ReadonlyMap<NodeName, readonly Pod[]>,
): ReadonlyMap<NodeName, ReadonlyMap<PodKind, number>> {
  const promised = new Map<NodeName, Map<PodKind, number>>();
  for (const { kind, info, count } of [...placements, ...booked]) {
    addCount(mapAt(promised, info.name), kind, count);
  }
  for (const [name, pods] of planned) {
    for (const pod of pods) {
      addCount(mapAt(promised, name), snapshot.kindOf(pod), -1);
    }
  }
  return promised;
}

/** Leaves what kube-scheduler sees: no pods at the places that the plan has for them, and no nodes that are still to come. */
function clearPlaces({ snapshot, objects, placements, booked }: PlannedCluster): void {
  const registered = new Set(objects.nodes.map(({ name }) => name));
  for (const { kind, info, count } of [...placements, ...booked]) {
    const there = snapshot.byName(info.name) === info ? (info.pods.get(kind) ?? 0) : 0;
    if (there > 0) {
      snapshot.remove(kind, info, Math.min(count, there));
    }
  }
  for (const info of snapshot.nodes) {
    if (info !== null && !registered.has(info.name)) {
      snapshot.removeNode(info);
    }
  }
}

/** Replaces a simulated node by the real node, with these pods. */
function replace({ snapshot }: PlannedCluster, node: Node, pods: readonly Pod[]): NodeInfo {
  const known = snapshot.byName(node.name);
  if (known !== undefined) {
    snapshot.removeNode(known);
  }
  const info = snapshot.addNode(node, known?.group ?? null);
  for (const pod of pods) {
    snapshot.place(snapshot.kindOf(pod), info);
  }
  return info;
}

/** Is there enough left of what the pod asks for? */
export function hasRoom({ free }: NodeInfo, { requestIndex, requestAmount }: PodKind): boolean {
  let has = free[PODS_INDEX]! >= 1;
  for (let i = 0; has && i < requestIndex.length; i++) {
    has = free[requestIndex[i]!]! >= requestAmount[i]!;
  }
  return has;
}

export const isSpread = ({ spec }: Pick<Pod, 'spec'>): boolean =>
  spec.topologySpread.some(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule');

/** Is it spread over domains of more than one node? */
export const isSpreadWide = ({ spec }: Pick<Pod, 'spec'>): boolean =>
  spec.topologySpread.some(
    ({ topologyKey, whenUnsatisfiable }) => topologyKey !== HOSTNAME_LABEL && whenUnsatisfiable === 'DoNotSchedule',
  );

/** Is it spread over hosts alone? */
export const isSpreadOverHosts = (pod: Pick<Pod, 'spec'>): boolean => isSpread(pod) && !isSpreadWide(pod);
