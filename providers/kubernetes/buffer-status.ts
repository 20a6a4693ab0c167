import type { BufferStatus } from '../../core/model/cluster/capacity-buffer.ts';
import { formatTime } from '../../core/model/values/time.ts';
import type { ClusterWriter } from '../../core/ports/cluster.ts';
import { apiRequest } from './client/api-request.ts';
import type { Transport } from './client/transport.ts';
import { CAPACITY_BUFFER_RESOURCE } from './read/capacity-buffers.ts';

/** Writes the status of each buffer by a server-side apply of its subresource, which leaves conditions of others alone. */
export const createBufferStatusWriter = (
  transport: Transport,
  { warn }: { readonly warn: (message: string) => void },
): Pick<ClusterWriter, 'writeBufferStatus'> => ({
  async writeBufferStatus(status, signal) {
    const { namespace, name } = status;
    const request = apiRequest('patch', CAPACITY_BUFFER_RESOURCE, {
      namespace,
      name,
      subresource: 'status',
      query: { fieldManager: 'outrigger', force: 'true' },
      // JSON is YAML.
      body: { contentType: 'application/apply-patch+yaml', text: JSON.stringify(appliedStatus(status)) },
    });
    try {
      await transport.send(request, () => undefined, signal);
    } catch (error) {
      signal?.throwIfAborted();
      const why = error instanceof Error ? error.message : String(error);
      warn(`The status of CapacityBuffer ${namespace}/${name} could not be written: ${why}`);
    }
  },
});

const appliedStatus = (of: BufferStatus) => ({
  apiVersion: `${CAPACITY_BUFFER_RESOURCE.group}/${CAPACITY_BUFFER_RESOURCE.version}`,
  kind: 'CapacityBuffer',
  metadata: { namespace: of.namespace, name: of.name },
  status: {
    replicas: of.replicas,
    provisioningStrategy: of.provisioningStrategy,
    ...(of.podTemplate !== null && { podTemplateRef: { name: of.podTemplate } }),
    conditions: of.conditions.map(({ since, ...condition }) => ({
      ...condition,
      lastTransitionTime: formatTime(since),
    })),
  },
});
