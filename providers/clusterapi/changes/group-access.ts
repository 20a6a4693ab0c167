import type { CallFailed } from '@outrigger/core/model/answers.ts';
import type { Result } from '@outrigger/core/model/values/result.ts';
import { type ApiRequest, apiRequest, jsonBody, mergePatch } from '../../kubernetes/client/api-request.ts';
import type { Transport } from '../../kubernetes/client/transport.ts';
import type { Machine, ScalableResource } from '../api/objects.ts';
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
    { kind, namespace, name }: Pick<ScalableResource, 'namespace' | 'name'> & { readonly kind: ClusterApiKind },
    { body, subresource = null }: { readonly body: ApiRequest['body']; readonly subresource?: 'scale' | null },
    signal?: AbortSignal,
  ): Promise<void> => {
    const resource = apiResource(apiGroup, version, kind);
    const request = apiRequest(verb, resource, { namespace, name, body, subresource, retried: false });
    return transport.send(request, () => undefined, signal);
  };

  return {
    scale: (resource, replicas, signal) => {
      const body = mergePatch({ metadata: { resourceVersion: resource.resourceVersion }, spec: { replicas } });
      return write('patch', resource, { body, subresource: 'scale' }, signal);
    },
    annotate: (machine, annotations, signal) => {
      const { uid, resourceVersion } = machine;
      const body = mergePatch({ metadata: { uid, resourceVersion, annotations } });
      return write('patch', { ...machine, kind: 'Machine' }, { body }, signal);
    },
    deleteMachine: (machine, signal) => {
      const body = jsonBody({ kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid: machine.uid } });
      return write('delete', { ...machine, kind: 'Machine' }, { body }, signal);
    },
  };
}
