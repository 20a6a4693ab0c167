import type { ClusterObservation } from '../../../core/ports/cluster.ts';
import { podGroupReader } from '../../manifest/pod-group.ts';
import { isRefusal } from '../client/api-error.ts';
import { type ApiResource, JSON_TYPE } from '../client/api-request.ts';
import type { Transport } from '../client/transport.ts';
import { jsonPageReader } from './json-page.ts';
import { allOf } from './pages.ts';

const KIND = 'PodGroup';

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
  const reader = () => jsonPageReader({ kind: KIND, resource: POD_GROUPS }, podGroupReader);
  try {
    const page = await allOf(
      transport,
      { kind: KIND, resource: POD_GROUPS, accept: JSON_TYPE, reader },
      {},
      pageSize,
      signal,
    );
    return { ...observed, objects: { ...objects, podGroups: page.items }, rejected: [...rejected, ...page.rejected] };
  } catch (error) {
    if (isRefusal(error, 404) || isRefusal(error, 403)) {
      return observed;
    }
    throw error;
  }
}
