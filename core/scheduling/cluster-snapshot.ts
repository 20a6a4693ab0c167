import { valueOf } from '../model/values/records.ts';
import { about, faultOf } from '../model/fault.ts';
import { byName, type GroupName, type NodeName } from '../model/values/names.ts';
import { isFinished, type Pod } from '../model/cluster/pod.ts';
import type { ClusterObjects } from '../model/scenario.ts';
import type { EpochMs } from '../model/values/time.ts';
import { selectorKeys } from '../model/snapshot/pod-kind.ts';
import { Snapshot } from '../model/snapshot/snapshot.ts';

/** Facts about a cluster beside its objects. */
interface ClusterKnowledge {
  /** The group of each node that is in one; absent: no node is. */
  readonly groups?: ReadonlyMap<NodeName, GroupName>;
  /**
   * Nodes that are to be left for last, as their soft taint requests of kube-scheduler: nodes that have been unneeded for
   * longest come last of all.
   */
  readonly unneededSince?: Readonly<Record<NodeName, EpochMs>>;
  /** Pods that are in the cluster and not among its objects, for they make room for others. */
  readonly expendable?: readonly Pod[];
}

/**
 * The cluster as kube-scheduler sees it when it looks at the next pod: nodes in the order of their names, on each the
 * pods that are bound to it, whatever their phase, unless they have finished; a pod that waits for a preemption counts
 * on the node it is nominated to. Pods of nodes that are gone count nowhere.
 *
 * @param extraPods pods that are not in the cluster but will be asked about or placed (of templates, say): label keys
 *   that their selectors name tell kinds of pods apart. They are not put on the snapshot.
 */
export function clusterSnapshot(
  objects: ClusterObjects,
  extraPods: Iterable<Pod>,
  { groups, unneededSince = {}, expendable = [] }: ClusterKnowledge = {},
): Snapshot {
  const snapshot = new Snapshot(selectorKeys(objects.pods, [...extraPods, ...expendable]));
  const since = (name: NodeName): number => valueOf(unneededSince, name) ?? Number.MAX_VALUE;
  for (const node of objects.nodes.toSorted((a, b) => since(b.name) - since(a.name) || byName(a.name, b.name))) {
    about({ kind: 'node', node: node.name }, () => snapshot.addNode(node, groups?.get(node.name) ?? null));
  }
  let looked: Pod | null = null;
  try {
    for (const pod of objects.pods) {
      looked = pod;
      const home = homeOf(pod);
      const info = home === null ? undefined : snapshot.byName(home);
      if (info !== undefined) {
        snapshot.place(snapshot.kindOf(pod), info);
      }
    }
    for (const pod of expendable) {
      looked = pod;
      const info = pod.nodeName === null || isFinished(pod) ? undefined : snapshot.byName(pod.nodeName);
      if (info !== undefined) {
        snapshot.placeExpendable(snapshot.kindOf(pod), info);
      }
    }
  } catch (error) {
    throw looked === null ? error : faultOf(error, { kind: 'pod', pod: looked });
  }
  return snapshot;
}

/** The node that a pod takes room on: where it is bound, or else nominated; `null` where it takes none. */
export function homeOf(pod: Pod): NodeName | null {
  return isFinished(pod) ? null : (pod.nodeName ?? pod.nominatedNodeName);
}
