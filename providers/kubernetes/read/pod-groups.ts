import type { ClusterObservation } from '@outrigger/core/ports/cluster.ts';
import { podGroupReader } from '../../manifest/pod-group.ts';
import type { ApiResource } from '../client/api-request.ts';
import type { Transport } from '../client/transport.ts';
import { listJson } from './json-list.ts';

/** The first version that is no alpha: Kubernetes 1.37 serves it with the gate GenericWorkload. */
export const POD_GROUPS: ApiResource = { group: 'scheduling.k8s.io', version: 'v1beta1', resource: 'podgroups' };

/**
 * Adds the PodGroups of a cluster to the observation if a pod names a PodGroup. Pods are `NotSimulated` where the API server serves
 * none, or where the ClusterRole is of an earlier version and does not allow to list them.
 */
export async function withPodGroups(
  transport: Transport,
  observed: ClusterObservation,
  pageSize: number,
  signal: AbortSignal,
): Promise<ClusterObservation> {
  const { objects, rejected } = observed;
  if (objects.pods.every(({ spec }) => spec.podGroup === undefined)) {
    return observed;
  }
  const kind = { kind: 'PodGroup', resource: POD_GROUPS, read: podGroupReader, noneBy: [403, 404], limited: true };
  const page = await listJson(transport, kind, pageSize, signal);
  return { ...observed, objects: { ...objects, podGroups: page.items }, rejected: [...rejected, ...page.rejected] };
}
