import { getOwn } from '../model/values/existing.ts';
import { AWAITING_PODS_TAINT, type Node } from '../model/cluster/node.ts';
import { daemonSetsAmong } from '../model/cluster/controller-lists.ts';
import { controllerKeyOf, type Pod } from '../model/cluster/pod.ts';
import { podRequests } from '../model/cluster/pod-requests.ts';
import { valueOf } from '../model/values/records.ts';
import type { ClusterObjects } from '../model/scenario.ts';
import { daemonsOf } from '../nodegroups/daemon-pods.ts';
import { homeOf } from '../scheduling/cluster-snapshot.ts';
import { toleratesAll } from '../scheduling/tolerations.ts';
import { released } from './held-nodes.ts';

/**
 * Does the node still await devices for its planned pods? A pod asks for a resource that another node of the group has,
 * and this node does not have yet: device plugins announce devices some time after the node is ready. Not where a
 * DaemonSet waits for the taint to go, which may be the plugin itself.
 */
export const waitsForDevices = (
  node: Node,
  planned: readonly Pod[],
  objects: Pick<ClusterObjects, 'controllers' | 'pods'>,
): boolean => planned.some((pod) => lacksAllOfOne(node, pod)) && !keepsDaemonsOff(node, objects);

/** Has the node nothing at all of a resource that the pod asks for? */
function lacksAllOfOne({ allocatable }: Node, pod: Pod): boolean {
  const requests = podRequests(pod);
  for (const name in requests) {
    if (getOwn(requests, name) > 0 && !((valueOf(allocatable, name) ?? 0) > 0)) {
      return true;
    }
  }
  return false;
}

/** Is there a DaemonSet whose pod comes to the node only without the taint that awaits pods? */
function keepsDaemonsOff(node: Node, { controllers, pods }: Pick<ClusterObjects, 'controllers' | 'pods'>): boolean {
  const daemonSets = daemonSetsAmong(controllers);
  if (daemonSets.length === 0) {
    return false;
  }
  const there = new Set(pods.filter((pod) => homeOf(pod) === node.name).map(controllerKeyOf));
  const own = node.taints.filter(({ key }) => key === AWAITING_PODS_TAINT);
  return daemonsOf(released(node), [], daemonSets).some(
    ({ pod, key }) => (key === null || !there.has(key)) && !toleratesAll(pod.spec.tolerations, own),
  );
}
