import { isRefusal } from '../client/api-error.ts';
import { apiRequest } from '../client/api-request.ts';
import type { ObservedKind } from './kinds.ts';
import { mayExist } from '../object-names.ts';
import type { Page } from './json-page.ts';
import type { ObservedObject } from './observed.ts';
import { NONE } from './json-list.ts';
import { ACCEPT, pageReader } from './page.ts';
import type { Transport } from '../client/transport.ts';

/**
 * Gets one object as a page of one; an empty page where it does not exist, without a request where the name is invalid.
 */
export async function getOne(
  transport: Transport,
  kind: ObservedKind,
  { namespace, name }: { readonly namespace: string | null; readonly name: string },
  signal?: AbortSignal,
): Promise<Page<ObservedObject>> {
  if (!mayExist({ namespace, name })) {
    return NONE;
  }
  const request = apiRequest('get', kind.resource, { namespace, name, accept: ACCEPT });
  try {
    return await transport.send(request, pageReader(kind).single, signal);
  } catch (error) {
    if (isRefusal(error, 404)) {
      return NONE;
    }
    throw error;
  }
}
