import type { CapacityBuffer, PodTemplate } from '../../../core/model/cluster/capacity-buffer.ts';
import type { Rejected } from '../../../core/ports/cluster.ts';
import { CAPACITY_BUFFERS, capacityBufferReader } from '../../manifest/capacity-buffer.ts';
import { podTemplateReader } from '../../manifest/pod-template.ts';
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

/** The buffers of a cluster, with the templates that they may name. */
export interface CapacityBuffers {
  readonly capacityBuffers: readonly CapacityBuffer[];
  readonly podTemplates: readonly PodTemplate[];
  readonly rejected: readonly Rejected[];
}

const NONE: CapacityBuffers = Object.freeze({ capacityBuffers: [], podTemplates: [], rejected: [] });

/** Lists the buffers, and templates where a buffer names one. A cluster without the custom resource has none. */
export async function listCapacityBuffers(
  transport: Transport,
  pageSize: number,
  signal: AbortSignal,
): Promise<CapacityBuffers> {
  const list = async <T extends object>(kind: string, resource: ApiResource, read: Reader<T>): Promise<Page<T>> =>
    await allOf(
      transport,
      { kind, resource, accept: JSON_TYPE, reader: () => jsonPageReader({ kind, resource }, read) },
      {},
      pageSize,
      signal,
    );
  let buffers: Page<CapacityBuffer>;
  try {
    buffers = await list('CapacityBuffer', CAPACITY_BUFFER_RESOURCE, capacityBufferReader);
  } catch (error) {
    if (isRefusal(error, 404)) {
      return NONE;
    }
    throw error;
  }
  const templates = buffers.items.some(({ podTemplate }) => podTemplate !== null)
    ? await list('PodTemplate', POD_TEMPLATES, podTemplateReader)
    : { items: [], rejected: [] };
  return {
    capacityBuffers: buffers.items,
    podTemplates: templates.items,
    rejected: [...buffers.rejected, ...templates.rejected],
  };
}
