import type { Rejected } from '../../core/model/ports.ts';
import { ApiError, isRefusal } from './api-error.ts';
import { apiRequest, qualified } from './api-request.ts';
import type { ObservedKind } from './kinds.ts';
import { ACCEPT, type Observed, type Page, pageReader } from './page.ts';
import type { Transport } from './transport.ts';

const MOST_RESTARTS = 3;

/**
 * Lists all objects of a kind, page by page. The pages are of one moment: when the server has forgotten that moment
 * before the last page (410 Gone: etcd was compacted meanwhile), what came before is dropped and the list begins anew.
 *
 * @param query without `limit` and `continue`.
 * @param namespace `null` for all of them.
 * @throws ApiError
 */
export async function* listPages(
  transport: Transport,
  kind: ObservedKind,
  query: Readonly<Record<string, string>>,
  pageSize: number,
  signal?: AbortSignal,
  namespace: string | null = null,
): AsyncGenerator<Page, void, void> {
  const reader = pageReader(kind);
  let continueToken = '';
  do {
    const request = apiRequest('list', kind.resource, {
      accept: ACCEPT,
      namespace,
      query: {
        ...query,
        limit: String(pageSize),
        ...(continueToken === '' ? {} : { continue: continueToken }),
      },
    });
    const page: Page = await transport.send(request, reader.page, signal);
    yield page;
    continueToken = page.continueToken;
  } while (continueToken !== '');
}

/** Reads a whole list, all its pages as one. */
export async function listAll(
  transport: Transport,
  kind: ObservedKind,
  query: Readonly<Record<string, string>>,
  pageSize: number,
  signal?: AbortSignal,
  namespace: string | null = null,
): Promise<Page> {
  for (let attempt = 0; ; attempt++) {
    try {
      const items: Observed[] = [];
      const rejected: Rejected[] = [];
      for await (const page of listPages(transport, kind, query, pageSize, signal, namespace)) {
        page.items.forEach((item) => items.push(item));
        page.rejected.forEach((one) => rejected.push(one));
      }
      return { items, rejected, continueToken: '' };
    } catch (error) {
      if (!isRefusal(error, 410)) {
        throw error;
      }
      if (attempt === MOST_RESTARTS) {
        throw new ApiError(
          `Listing ${qualified(kind.resource)} took longer than the API server remembers a moment, ${attempt + 1} times over. Read it in larger pages, or from nearer to the server.`,
          { kind: 'refused', status: 410, reason: 'Expired', retryable: true, cause: error },
        );
      }
    }
  }
}
