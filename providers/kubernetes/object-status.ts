import { messageOf } from '@outrigger/core/model/values/error-message.ts';
import type { BufferStatus } from '@outrigger/core/model/cluster/capacity-buffer.ts';
import type { RequestStatus } from '@outrigger/core/model/cluster/provisioning-request.ts';
import type { WrittenCondition } from '@outrigger/core/model/cluster/status-condition.ts';
import { formatTime } from '@outrigger/core/model/values/time.ts';
import type { ClusterWriter } from '@outrigger/core/ports/cluster.ts';
import { apiRequest, serverSideApply } from './client/api-request.ts';
import { isRefusal } from './client/api-error.ts';
import type { Transport } from './client/transport.ts';
import type { ListedKind } from './read/json-page.ts';
import { BUFFERS, REQUESTS } from './read/headroom-sources.ts';

/**
 * Writes the status of each object by a server-side apply of its subresource, which leaves conditions of others alone, and
 * takes those away that were applied before and are not any more. That of a ProvisioningRequest is applied to the version that the
 * decision was about: an evaluation that was overtaken takes no condition away that a later one has written. What is refused so is
 * no warning, for the next evaluation sees the request as it is.
 */
export function createObjectStatusWriter(
  transport: Transport,
  { warn }: { readonly warn: (message: string) => void },
): Pick<ClusterWriter, 'writeBufferStatus' | 'writeRequestStatus'> {
  const apply = async (
    { kind, resource }: ListedKind,
    { namespace, name, resourceVersion = '' }: StatusTarget,
    status: object,
    signal?: AbortSignal,
  ): Promise<void> => {
    const object = {
      apiVersion: `${resource.group}/${resource.version}`,
      kind,
      metadata: { namespace, name, resourceVersion: resourceVersion || undefined },
      status,
    };
    const request = apiRequest('patch', resource, {
      namespace,
      name,
      subresource: 'status',
      ...serverSideApply(object),
    });
    try {
      await transport.send(request, () => undefined, signal);
    } catch (error) {
      signal?.throwIfAborted();
      if (resourceVersion !== '' && isRefusal(error, 409)) {
        return;
      }
      warn(`The status of ${kind} ${namespace}/${name} could not be written: ${messageOf(error)}`);
    }
  };
  return {
    writeBufferStatus: (status, signal) => apply(BUFFERS, status, bufferStatus(status), signal),
    writeRequestStatus: (status, signal) => apply(REQUESTS, status, requestStatus(status), signal),
  };
}

/** The object to which the status belongs; with a version: the status is only written to this version. */
interface StatusTarget {
  readonly namespace: string;
  readonly name: string;
  readonly resourceVersion?: string;
}

const bufferStatus = (of: BufferStatus) => ({
  replicas: of.replicas,
  provisioningStrategy: of.provisioningStrategy,
  podTemplateRef: of.podTemplate === null ? undefined : { name: of.podTemplate },
  conditions: of.conditions.map(written),
});

const requestStatus = ({ conditions }: RequestStatus) => ({ conditions: conditions.map(written) });

const written = ({ since, ...condition }: WrittenCondition) => ({
  ...condition,
  lastTransitionTime: formatTime(since),
});
