import { consumedBy, type ProvisioningRequest } from '../../model/cluster/provisioning-request.ts';
import { isFinished, type Pod } from '../../model/cluster/pod.ts';
import { podRequests } from '../../model/cluster/pod-requests.ts';
import type { ClusterObjects } from '../../model/scenario.ts';
import { err, ok, type Result } from '../../model/values/result.ts';
import { MAX_VIRTUAL_PODS } from '../virtual-pods.ts';
import type { RequestedPods } from '../quota-ledger.ts';
import { podsOfTemplate, virtualPod } from '../virtual-pod.ts';
import { canonical } from '../../model/snapshot/pod-kind.ts';

export const requestedPodCount = (sets: readonly Pick<RequestedPods, 'count'>[]): number =>
  sets.reduce((sum, { count }) => sum + count, 0);

/**
 * The pods that a request is for, a set for each of its own.
 *
 * @returns why there are none, in words
 */
export function requestedPods(
  request: ProvisioningRequest,
  objects: Pick<ClusterObjects, 'podTemplates'>,
): Result<readonly RequestedPods[], string> {
  const { namespace, name, uid, podSets } = request;
  if (podSets.length === 0) {
    return err('podSets is empty');
  }
  const wanted = requestedPodCount(podSets);
  if (wanted > MAX_VIRTUAL_PODS) {
    return err(`${wanted} pods are requested, and a request has ${MAX_VIRTUAL_PODS} at most`);
  }
  const sets: RequestedPods[] = [];
  for (const [i, { podTemplate, count }] of podSets.entries()) {
    const pods = podsOfTemplate(namespace, podTemplate, objects);
    if (!pods.ok) {
      return pods;
    }
    const pod = virtualPod({ namespace, name: `${name}-${i}`, uid: `${uid}-${i}` }, pods.value.pod);
    sets.push({ ...pods.value, pod, count });
  }
  return ok(sets);
}

/** Running pods that consume requests, by `namespace/name` of the request. */
export function consumersIn({ pods }: Pick<ClusterObjects, 'pods'>): ReadonlyMap<string, readonly Pod[]> {
  const consumers = pods.filter((pod) => pod.nodeName !== null && !isFinished(pod) && consumedBy(pod) !== null);
  return Map.groupBy(consumers, (pod) => `${pod.namespace}/${consumedBy(pod)}`);
}

/**
 * The sets without the pods that have come. A pod counts as one of the first set whose pods request the same; a pod
 * that matches no set takes no held place.
 */
export function withoutConsumers(sets: readonly RequestedPods[], consumers: readonly Pod[]): readonly RequestedPods[] {
  const left = sets.map((set) => ({ set, count: set.count, requests: canonical(podRequests(set.pod)) }));
  for (const pod of consumers) {
    const requests = canonical(podRequests(pod));
    const own = left.find((one) => one.count > 0 && one.requests === requests);
    if (own !== undefined) {
      own.count -= 1;
    }
  }
  return left.filter(({ count }) => count > 0).map(({ set, count }) => ({ ...set, count }));
}
