import type { CapacityBuffer, PodTemplate } from '../../../core/model/cluster/capacity-buffer.ts';
import type { CapacityQuota } from '../../../core/model/cluster/capacity-quota.ts';
import type { ProvisioningRequest } from '../../../core/model/cluster/provisioning-request.ts';
import type { ResourceQuota } from '../../../core/model/cluster/resource-quota.ts';
import type { Rejected } from '../../../core/ports/cluster.ts';
import { CAPACITY_BUFFERS, capacityBufferReader } from '../../manifest/capacity-buffer.ts';
import { CAPACITY_QUOTAS, capacityQuotaReader } from '../../manifest/capacity-quota.ts';
import { podTemplateReader } from '../../manifest/pod-template.ts';
import { PROVISIONING_REQUESTS, provisioningRequestReader } from '../../manifest/provisioning-request.ts';
import { resourceQuotaReader } from '../../manifest/resource-quota.ts';
import type { Reader } from '../../manifest/invalid.ts';
import { isRefusal } from '../client/api-error.ts';
import { type ApiResource, JSON_TYPE } from '../client/api-request.ts';
import type { Transport } from '../client/transport.ts';
import { jsonPageReader, type Page } from './json-page.ts';
import { allOf } from './pages.ts';

export const CAPACITY_BUFFER_RESOURCE: ApiResource = {
  group: CAPACITY_BUFFERS,
  version: 'v1beta1',
  resource: 'capacitybuffers',
};
const POD_TEMPLATES: ApiResource = { group: '', version: 'v1', resource: 'podtemplates' };
const RESOURCE_QUOTAS: ApiResource = { group: '', version: 'v1', resource: 'resourcequotas' };

export const PROVISIONING_REQUEST_RESOURCE: ApiResource = {
  group: PROVISIONING_REQUESTS,
  version: 'v1',
  resource: 'provisioningrequests',
};

export const CAPACITY_QUOTA_RESOURCE: ApiResource = {
  group: CAPACITY_QUOTAS,
  version: 'v1beta1',
  resource: 'capacityquotas',
};

/**
 * The objects that ask for headroom in a cluster, with the templates that they may name, and the quotas that limit
 * headroom and nodes.
 */
export interface RoomAskers {
  readonly capacityBuffers: readonly CapacityBuffer[];
  readonly resourceQuotas: readonly ResourceQuota[];
  readonly provisioningRequests: readonly ProvisioningRequest[];
  readonly podTemplates: readonly PodTemplate[];
  readonly capacityQuotas: readonly CapacityQuota[];
  readonly rejected: readonly Rejected[];
}

/** The kinds to read: the options of these names. */
export interface RoomAskersRead {
  readonly capacityBuffers: boolean;
  readonly provisioningRequests: boolean;
  readonly capacityQuotas: boolean;
}

/**
 * Lists buffers, requests and CapacityQuotas, then the templates if an object names one, and the ResourceQuotas if a
 * buffer or request exists. A cluster without a custom resource has none of its kind.
 */
export async function listRoomAskers(
  transport: Transport,
  asked: RoomAskersRead,
  pageSize: number,
  signal: AbortSignal,
): Promise<RoomAskers> {
  const list = async <T extends object>(kind: string, resource: ApiResource, read: Reader<T>): Promise<Page<T>> =>
    await allOf(
      transport,
      { kind, resource, accept: JSON_TYPE, reader: () => jsonPageReader({ kind, resource }, read) },
      {},
      pageSize,
      signal,
    );
  const listCustom = async <T extends object>(...of: Parameters<typeof list<T>>): Promise<Page<T>> => {
    try {
      return await list(...of);
    } catch (error) {
      if (isRefusal(error, 404)) {
        return NONE;
      }
      throw error;
    }
  };
  const [buffers, requests, capacityQuotas] = await Promise.all([
    asked.capacityBuffers ? listCustom('CapacityBuffer', CAPACITY_BUFFER_RESOURCE, capacityBufferReader) : NONE,
    asked.provisioningRequests
      ? listCustom('ProvisioningRequest', PROVISIONING_REQUEST_RESOURCE, provisioningRequestReader)
      : NONE,
    asked.capacityQuotas ? listCustom('CapacityQuota', CAPACITY_QUOTA_RESOURCE, capacityQuotaReader) : NONE,
  ]);
  const named = buffers.items.some(({ podTemplate }) => podTemplate !== null) || requests.items.length > 0;
  const [templates, quotas] = await Promise.all([
    named ? list('PodTemplate', POD_TEMPLATES, podTemplateReader) : NONE,
    buffers.items.length + requests.items.length > 0
      ? list('ResourceQuota', RESOURCE_QUOTAS, resourceQuotaReader)
      : NONE,
  ]);
  return {
    capacityBuffers: buffers.items,
    resourceQuotas: quotas.items,
    provisioningRequests: requests.items,
    podTemplates: templates.items,
    capacityQuotas: capacityQuotas.items,
    rejected: [buffers, requests, templates, quotas, capacityQuotas].flatMap(({ rejected }) => rejected),
  };
}

const NONE: Page<never> = Object.freeze({ items: [], rejected: [], continueToken: '' });
