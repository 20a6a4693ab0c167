import { type Node, ZONE_LABEL } from '../model/cluster/node.ts';
import { isHeld } from '../model/cluster/node-condition.ts';
import { about, readable } from '../model/fault.ts';
import type { PodKind } from '../model/snapshot/pod-kind.ts';
import type { NodeName } from '../model/values/names.ts';
import { hasRoom, isSpreadWide, type OpeningNode, openingsIn } from './openings.ts';
import { type PlannedCluster, podsByNode } from './planned-pods.ts';

/**
 * The nodes that are better opened later, since pods that are spread over zones and planned on them may be refused:
 * kube-scheduler tries pods in an order that is not known, and their zone may be ahead of the others by then. Pods
 * planned in the same zone are assumed to come before such a pod, and pods planned in other zones after it. Once the
 * certain pods have their nodes, the remaining pods are planned anew.
 *
 * Never all of the nodes: if no node is certain, waiting does not help.
 */
export function orderDependent(cluster: PlannedCluster, nodes: readonly Node[]): ReadonlySet<NodeName> {
  const { snapshot, objects } = cluster;
  const planned = podsByNode(cluster, new Set(nodes.map(({ name }) => name)));
  const found = new Set<NodeName>();
  if (![...planned.values()].some((pods) => pods.some(isSpreadWide))) {
    return found;
  }
  const held = objects.nodes.filter((node) => readable(() => isHeld(node), false));
  for (const own of Map.groupBy(nodes, ({ labels }) => labels[ZONE_LABEL]).values()) {
    snapshot.fork();
    for (const opening of openingsIn(cluster, held, own)) {
      about({ kind: 'node', node: opening.name }, () => {
        if (!takesAll(cluster, opening)) {
          found.add(opening.name);
        }
      });
    }
    snapshot.revert();
  }
  return found.size < nodes.length ? found : new Set();
}

/** Does the node take all its planned pods? If so, the pods are placed on the node, else none is. */
function takesAll({ snapshot, scheduler }: PlannedCluster, { info, planned }: OpeningNode): boolean {
  const kinds = planned.map((pod) => snapshot.kindOf(pod));
  const placed: PodKind[] = [];
  for (const kind of kinds.toSorted((a, b) => Number(isSpreadWide(a)) - Number(isSpreadWide(b)))) {
    if (isSpreadWide(kind) && scheduler.check(kind, info) !== null) {
      placed.forEach((one) => snapshot.remove(one, info));
      return false;
    }
    if (hasRoom(info, kind)) {
      snapshot.place(kind, info);
      placed.push(kind);
    }
  }
  return true;
}
