import type { ObjectLists } from '@outrigger/core/model/scenario.ts';
import type { RejectedObject } from '@outrigger/core/ports/cluster.ts';
import { AUTOSCALING_GROUP, capacityBufferReader } from '../../manifest/capacity-buffer.ts';
import { capacityQuotaReader } from '../../manifest/capacity-quota.ts';
import { podTemplateReader } from '../../manifest/pod-template.ts';
import { provisioningRequestReader } from '../../manifest/provisioning-request.ts';
import { resourceQuotaReader, unreadableQuota } from '../../manifest/resource-quota.ts';
import type { SectionReader } from '../../manifest/fields.ts';
import type { ApiResource } from '../client/api-request.ts';
import type { Transport } from '../client/transport.ts';
import { type JsonKind, listJson, NONE } from './json-list.ts';
import type { Page } from './json-page.ts';

const POD_TEMPLATES: ApiResource = { group: '', version: 'v1', resource: 'podtemplates' };
const RESOURCE_QUOTAS: ApiResource = { group: '', version: 'v1', resource: 'resourcequotas' };

/**
 * The objects that ask for headroom in a cluster, with the templates that they may name, and the quotas that limit
 * headroom and nodes.
 */
export interface HeadroomSources extends Pick<
  ObjectLists,
  'capacityBuffers' | 'resourceQuotas' | 'provisioningRequests' | 'podTemplates' | 'capacityQuotas'
> {
  readonly rejected: readonly RejectedObject[];
}

/** The kinds to read: the options of these names. */
export interface HeadroomKinds {
  readonly capacityBuffers: boolean;
  readonly provisioningRequests: boolean;
  readonly capacityQuotas: boolean;
  /** The ResourceQuotas hold for the pods that controllers are about to create. */
  readonly enableProactiveScaleup?: boolean;
}

/**
 * Lists buffers, requests and CapacityQuotas, then the templates if an object names one, and the ResourceQuotas if a
 * buffer or request exists, or controllers ask. A cluster without a custom resource has none of its kind.
 */
export async function listHeadroomSources(
  transport: Transport,
  asked: HeadroomKinds,
  pageSize: number,
  signal: AbortSignal,
): Promise<HeadroomSources> {
  const listIf = async <T extends object>(isNeeded: boolean, kind: JsonKind<T>): Promise<Page<T>> =>
    isNeeded ? await listJson(transport, kind, pageSize, signal) : NONE;
  const [buffers, requests, capacityQuotas] = await Promise.all([
    listIf(asked.capacityBuffers, BUFFERS),
    listIf(asked.provisioningRequests, REQUESTS),
    listIf(asked.capacityQuotas, QUOTAS),
  ]);
  const named = buffers.items.some(({ podTemplate }) => podTemplate !== null) || requests.items.length > 0;
  const limited = asked.enableProactiveScaleup === true || buffers.items.length + requests.items.length > 0;
  const [templates, quotas] = await Promise.all([
    listIf(named, { kind: 'PodTemplate', resource: POD_TEMPLATES, read: podTemplateReader, limited: true }),
    listIf(limited, {
      kind: 'ResourceQuota',
      resource: RESOURCE_QUOTAS,
      read: resourceQuotaReader,
      standIn: unreadableQuota,
    }),
  ]);
  return {
    capacityBuffers: buffers.items,
    resourceQuotas: quotas.items,
    provisioningRequests: requests.items,
    podTemplates: templates.items,
    capacityQuotas: capacityQuotas.items,
    rejected: [
      ...[buffers, requests, templates, quotas].flatMap(({ rejected }) => rejected),
      ...capacityQuotas.rejected.map((one) => ({ ...one, liftsLimit: true })),
    ],
  };
}

/** A kind of custom resources. A cluster without the custom resource answers with 404. */
const custom = <T extends object>(
  kind: string,
  [resource, version]: readonly [string, string],
  read: SectionReader<T>,
): JsonKind<T> => ({ kind, resource: { group: AUTOSCALING_GROUP, version, resource }, read, noneBy: [404] });

export const BUFFERS = {
  ...custom('CapacityBuffer', ['capacitybuffers', 'v1beta1'], capacityBufferReader),
  limited: true,
};
export const REQUESTS = {
  ...custom('ProvisioningRequest', ['provisioningrequests', 'v1'], provisioningRequestReader),
  limited: true,
};
export const QUOTAS = custom('CapacityQuota', ['capacityquotas', 'v1beta1'], capacityQuotaReader);
