import { addCount } from '../../model/values/counts.ts';
import type { NodeName, PodKey } from '../../model/values/names.ts';
import { controllerByUid, kindsAmong } from '../../model/cluster/controller-lists.ts';
import { controllerKeyOf, isDaemon, isFinished, isMirror, keyOf, type Pod } from '../../model/cluster/pod.ts';
import { asBeingRemoved } from '../../model/cluster/removal-taints.ts';
import type { ClusterObjects, Scenario } from '../../model/scenario.ts';
import { nodesBeingRemoved } from '../../model/state.ts';
import { ownKindOf } from '../../model/cluster/workloads.ts';
import { endedNodes } from '../../registry/ended-nodes.ts';

/** A cluster whose drains are as good as done. */
interface ClusterAfterDrains {
  /** The cluster without the pods that are about to be evicted; nodes that are being removed take no more pods. */
  readonly objects: ClusterObjects;
  /**
   * Pods about to be evicted, as their controllers will create them again, unscheduled; none for pods without a
   * controller. They bear the names of existing pods.
   */
  readonly drained: readonly Pod[];
  /** Pods evicted lately, unscheduled, whose controllers have not replaced them yet. They are not in the cluster. */
  readonly evicted: readonly Pod[];
  /** The nodes that are being removed, or were lately and are still there. */
  readonly leaving: ReadonlySet<NodeName>;
}

const NO_NODES: ReadonlySet<NodeName> = new Set();

/**
 * Looks ahead of the drains that are under way. What runs on their nodes needs a new place in a moment: it is better
 * found, or a node added, now than when the pods are pending.
 *
 * Follows Cluster Autoscaler's currently_drained_nodes.go, and the planner's `filterOutRecreatedPods`.
 */
export function recreated({ objects, state }: Scenario): ClusterAfterDrains {
  const ended = endedNodes(objects, state);
  if (state.deletionsInProgress.length === 0 && state.recentEvictions.length === 0 && ended.size === 0) {
    return { objects, drained: [], evicted: [], leaving: NO_NODES };
  }
  const leaving = nodesBeingRemoved(state).union(ended);
  const drains = state.deletionsInProgress.filter(({ kind }) => kind === 'drain');
  const draining = new Set(drains.map(({ node }) => node)).union(ended);
  const returns = (pod: Pod): boolean =>
    pod.nodeName !== null &&
    draining.has(pod.nodeName) &&
    pod.deletedAt === null &&
    pod.controller !== null &&
    isRecreatable(pod);
  return {
    objects: {
      ...objects,
      nodes: objects.nodes.map((node) => (leaving.has(node.name) ? asBeingRemoved(node) : node)),
      pods: objects.pods.filter((pod) => !returns(pod)),
    },
    drained: objects.pods.filter(returns).map(unscheduled),
    evicted: missing(state.recentEvictions.filter(isRecreatable), objects).map(unscheduled),
    leaving,
  };
}

const isRecreatable = (pod: Pod): boolean => !isDaemon(pod) && !isMirror(pod) && !isFinished(pod);

/**
 * Without its age, which Cluster Autoscaler keeps: the delays for new pods give kube-scheduler and controllers time, and
 * this pod has had its node.
 */
const unscheduled = (pod: Pod): Pod => ({
  ...pod,
  createdAt: null,
  nodeName: null,
  nominatedNodeName: null,
  deletedAt: null,
  phase: 'Pending',
  unscheduled: { reason: 'Unschedulable', since: null },
  startedAt: null,
  ready: false,
  resize: null,
});

/**
 * For each controller, as many pods as it is short of. Pods without a controller, or whose controller is gone, are not
 * recreated. For controllers of unknown kinds, all pods count as recreated, less the pods that exist again under their
 * old names.
 */
function missing(evictions: readonly Pod[], { pods, controllers }: ClusterObjects): readonly Pod[] {
  if (evictions.length === 0) {
    return [];
  }
  // Only of what the evictions name, for the rest of the cluster is a hundred times as much.
  const uids = new Set(evictions.map(({ controller }) => controller?.uid));
  const names = new Set(evictions.map(({ name }) => name));
  // All kinds are read together: a controller that is not among them has been deleted, even the last of its kind.
  const areRead = [...kindsAmong(controllers)].some((kind) => kind !== 'DaemonSet');
  const alive = new Map<string | null, number>();
  const present = new Set<PodKey>();
  for (const pod of pods) {
    if (pod.deletedAt === null && !isFinished(pod)) {
      if (names.has(pod.name)) {
        present.add(keyOf(pod));
      }
      if (uids.has(pod.controller?.uid)) {
        addCount(alive, controllerKeyOf(pod));
      }
    }
  }
  return evictions.filter((pod) => {
    const key = controllerKeyOf(pod);
    if (pod.controller === null || key === null || present.has(keyOf(pod))) {
      return false;
    }
    const kind = ownKindOf(pod.controller);
    const owner = controllerByUid(controllers, pod);
    const wanted = owner === null && kind !== null && areRead ? 0 : (owner?.replicas ?? Number.POSITIVE_INFINITY);
    const count = alive.get(key) ?? 0;
    if (count >= wanted) {
      return false;
    }
    alive.set(key, count + 1);
    return true;
  });
}
