import * as z from 'zod';
import { ApiError } from '../client/api-error.ts';
import { apiRequest, JSON_TYPE } from '../client/api-request.ts';
import type { Transport } from '../client/transport.ts';
import type { ObservedKind } from './kinds.ts';
import { parsedOf } from './parsed.ts';

const List = z.object({
  metadata: z.object({
    continue: z.string().default(''),
    remainingItemCount: z.int().min(0).optional(),
  }),
  items: z.array(z.unknown()).nullable(),
});

/** Media types for the metadata of objects alone, which most servers understand; other servers send whole objects. */
export const METADATA = `${JSON_TYPE};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1, ${JSON_TYPE};q=0.5`;

/**
 * The number of objects of a kind, from a page of one: the API server says how many remain
 * (`ListMeta.remainingItemCount`), without reading them. The API server may leave the count out, as it does for lists
 * with a selector.
 *
 * @throws ApiError, also where the number is not said
 */
export async function countOf(
  transport: Transport,
  { resource }: ObservedKind,
  signal: AbortSignal | undefined,
): Promise<number> {
  const request = apiRequest('list', resource, { accept: METADATA, query: { limit: '1' } });
  const list = await transport.send(request, ({ body }) => List.safeParse(parsedOf(body)), signal);
  const { continue: more, remainingItemCount: remaining } = list.data?.metadata ?? { continue: '' };
  if (!list.success || (more !== '' && remaining === undefined)) {
    throw new ApiError(`The API server does not say how many ${resource.resource} there are.`, {
      kind: 'unreadable',
      retryable: false,
    });
  }
  return (list.data.items?.length ?? 0) + (remaining ?? 0);
}
