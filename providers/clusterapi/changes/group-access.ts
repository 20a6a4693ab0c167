import type { CallFailed } from '@outrigger/core/model/answers.ts';
import type { Result } from '@outrigger/core/model/values/result.ts';
import { type ApiRequest, JSON_TYPE, apiRequest } from '../../kubernetes/client/api-request.ts';
import type { Transport } from '../../kubernetes/client/transport.ts';
import type { ClusterApiObject, Machine, ScalableResource } from '../api/objects.ts';
import { type ClusterApiKind, apiResource } from '../api/resources.ts';
import type { GroupNow } from './group-now.ts';
import type { AnnotationChange } from './marks.ts';

/**
 * Reads and changes one node group. Writes apply to the object as it was read: if the object has changed since, the API
 * server refuses them (409).
 */
export interface GroupAccess {
  /** @returns `null` where the resource does not exist, or why it is no node group. */
  read(signal?: AbortSignal): Promise<Result<GroupNow, CallFailed> | null>;
  /** Sets the size by the subresource `scale`. */
  scale(resource: ScalableResource, replicas: number, signal?: AbortSignal): Promise<void>;
  annotate(machine: Machine, change: AnnotationChange, signal?: AbortSignal): Promise<void>;
  /** Deletes a Machine by its UID, whatever its version. */
  deleteMachine(machine: Machine, signal?: AbortSignal): Promise<void>;
}

export interface GroupWrites extends Omit<GroupAccess, 'read'> {}

/**
 * The writes of a group. The transport repeats none: after a failure, the group is read to see what has become of the
 * write.
 *
 * @param version of the API group's resources.
 */
export function createGroupWrites(transport: Transport, apiGroup: string, version: string): GroupWrites {
  const write = (
    verb: 'patch' | 'delete',
    { kind, namespace, name }: Pick<ClusterApiObject, 'namespace' | 'name'> & { readonly kind: ClusterApiKind },
    body: object,
    rest: Partial<ApiRequest> = {},
  ): ApiRequest =>
    apiRequest(verb, apiResource(apiGroup, version, kind), {
      namespace,
      name,
      body: { contentType: verb === 'patch' ? 'application/merge-patch+json' : JSON_TYPE, text: JSON.stringify(body) },
      retried: false,
      ...rest,
    });
  const send = (request: ApiRequest, signal?: AbortSignal): Promise<void> =>
    transport.send(request, () => undefined, signal);

  return {
    scale: (resource, replicas, signal) => {
      const patch = { metadata: { resourceVersion: resource.resourceVersion }, spec: { replicas } };
      return send(write('patch', resource, patch, { subresource: 'scale' }), signal);
    },
    annotate: (machine, annotations, signal) => {
      const { uid, resourceVersion } = machine;
      return send(
        write('patch', { ...machine, kind: 'Machine' }, { metadata: { uid, resourceVersion, annotations } }),
        signal,
      );
    },
    deleteMachine: (machine, signal) => {
      const options = { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid: machine.uid } };
      return send(write('delete', { ...machine, kind: 'Machine' }, options), signal);
    },
  };
}
