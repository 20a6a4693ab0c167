import type { Rejected } from '../../../core/ports/cluster.ts';
import { ApiError, isRefusal, isTooLarge } from '../client/api-error.ts';
import { apiRequest, qualified } from '../client/api-request.ts';
import type { ObservedKind } from './kinds.ts';
import type { Observed } from './observed.ts';
import { ACCEPT, type Page, pageReader } from './page.ts';
import type { Transport } from '../client/transport.ts';

const MOST_RESTARTS = 3;

/**
 * Lists all objects of a kind, page by page. The pages are of one moment: when the server has forgotten that moment
 * before the last page (410 Gone: etcd was compacted meanwhile), what came before is dropped and the list begins anew.
 *
 * A page that is too large for the transport is asked for again with half as many objects, down to one. Large objects often
 * stand together, so pages grow again behind them. A continue token names where a page begins, whatever its size: it is
 * made of a version, the resource version and the next key (`continueToken` of k8s.io/apiserver/pkg/storage/continue.go),
 * and the limit of each request is its own. `ListOptions` promises that only for requests that are otherwise the same, so
 * an end-to-end test tries it (`test/e2e/kubernetes.e2e.ts`).
 *
 * @param query without `limit` and `continue`.
 * @param pageSize most objects of a page.
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
  let limit = pageSize;
  let largest = 0;
  let last: Observed | null = null;
  for (;;) {
    const request = apiRequest('list', kind.resource, {
      accept: ACCEPT,
      namespace,
      query: { ...query, limit: String(limit), ...(continueToken === '' ? {} : { continue: continueToken }) },
    });
    let bytes = 0;
    let page: Page;
    try {
      page = await transport.send(
        request,
        (answer) => {
          bytes = answer.body.length;
          return reader.page(answer);
        },
        signal,
      );
    } catch (error) {
      if (!isTooLarge(error)) {
        throw error;
      }
      if (limit === 1) {
        throw tooLargeAlone(error, kind, last);
      }
      limit = Math.floor(limit / 2);
      continue;
    }
    yield page;
    continueToken = page.continueToken;
    if (continueToken === '') {
      return;
    }
    last = page.items.at(-1) ?? last;
    // Twice as many fit, going by this page and by the largest so far.
    largest = Math.max(largest, bytes);
    limit = bytes * 2 <= largest ? Math.min(pageSize, limit * 2) : limit;
  }
}

function tooLargeAlone(error: ApiError, { kind }: ObservedKind, last: Observed | null): ApiError {
  const place = last === null ? 'the first of the list' : `the next one after ${nameOf(last)}`;
  return new ApiError(
    `${error.message} That is one ${kind} alone: ${place}, by namespace and name. Make it smaller, or delete it.`,
    { kind: 'too large', retryable: false, cause: error },
  );
}

const nameOf = (object: Observed): string => {
  const name = 'name' in object ? object.name : '';
  return 'namespace' in object ? `${object.namespace}/${name}` : name;
};

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
