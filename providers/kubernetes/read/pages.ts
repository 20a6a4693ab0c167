import { present } from '@outrigger/core/model/values/present.ts';
import type { RejectedObject } from '@outrigger/core/ports/cluster.ts';
import { ApiError, isRefusal, isTooLarge } from '../client/api-error.ts';
import { apiRequest, qualified } from '../client/api-request.ts';
import type { ListedKind, Page, PageReader } from './json-page.ts';
import type { Transport } from '../client/transport.ts';

/** The kind to list, and the reader of its pages. */
export interface Listing<T> extends ListedKind {
  /** The accepted media types. */
  readonly accept: string;
  /** Creates a reader for all pages of one list. */
  readonly reader: () => Pick<PageReader<T>, 'page'>;
}

/** The objects of a list, and the size of its pages. */
export interface ListQuery {
  /** Parameters of the request, without `limit` and `continue`; absent: none. */
  readonly query?: Readonly<Record<string, string>>;
  /** Most objects of a page. */
  readonly pageSize: number;
  /** Absent or `null`: all of them. */
  readonly namespace?: string | null;
}

const MOST_RESTARTS = 3;

/**
 * Lists all objects of a kind, page by page. The pages have one resource version: when that has expired before the last
 * page (410 Gone: etcd was compacted meanwhile), earlier pages are dropped and the list starts again.
 *
 * A page that is too large for the transport is requested again with half as many objects, down to one. Large objects
 * are often adjacent, so pages grow again after them. A continue token identifies the start of a page, whatever its
 * size: it consists of a version, the resource version and the next key (`continueToken` of
 * k8s.io/apiserver/pkg/storage/continue.go), and the limit of each request is independent of it. `ListOptions`
 * guarantees this only for requests that are otherwise the same, so an end-to-end test checks it
 * (`test/e2e/kubernetes.e2e.ts`), and that later pages may leave out the namespaces of which no more is read.
 *
 * @throws ApiError
 */
export async function* pagesOf<T extends object>(
  transport: Transport,
  listing: Listing<T>,
  { query = {}, pageSize, namespace = null }: ListQuery,
  signal?: AbortSignal,
): AsyncGenerator<Page<T>, void, void> {
  const reader = listing.reader();
  let continueToken = '';
  const seen = new Set<string>();
  let limit = pageSize;
  let largest = 0;
  let last: T | null = null;
  let exhausted: readonly string[] = [];
  for (;;) {
    const request = apiRequest('list', listing.resource, {
      accept: listing.accept,
      namespace,
      query: {
        ...without(exhausted, query),
        limit: String(limit),
        ...present({ continue: continueToken || null }),
      },
    });
    let bytes = 0;
    let page: Page<T>;
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
        throw tooLargeAlone(error, listing, last);
      }
      limit = Math.floor(limit / 2);
      continue;
    }
    yield page;
    continueToken = page.continueToken;
    exhausted = page.exhausted ?? [];
    if (continueToken === '') {
      return;
    }
    if (seen.has(continueToken)) {
      throw new ApiError(
        `Listing ${qualified(listing.resource)} does not come to an end: the API server has answered with the same continue token twice. Check what is between Outrigger and the API server.`,
        { kind: 'unreadable', retryable: true },
      );
    }
    seen.add(continueToken);
    last = page.items.at(-1) ?? last;
    // By the size of this page and of the largest so far, twice as many fit.
    largest = Math.max(largest, bytes);
    if (bytes * 2 <= largest) {
      limit = Math.min(pageSize, limit * 2);
    }
  }
}

function without(
  namespaces: readonly string[],
  query: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  if (namespaces.length === 0) {
    return query;
  }
  const { fieldSelector } = query;
  const others = namespaces.map((namespace) => `metadata.namespace!=${namespace}`);
  return { ...query, fieldSelector: [fieldSelector, ...others].filter((one) => one !== undefined).join(',') };
}

function tooLargeAlone(error: ApiError, { kind }: ListedKind, last: object | null): ApiError {
  const place = last === null ? 'the first of the list' : `the next one after ${nameOf(last)}`;
  return new ApiError(
    `${error.message} The page has a single ${kind}: ${place}, by namespace and name. Reduce its size, or delete it.`,
    { kind: 'too large', retryable: false, cause: error },
  );
}

const nameOf = (object: object): string => {
  const name = 'name' in object ? String(object.name) : '';
  return 'namespace' in object ? `${String(object.namespace)}/${name}` : name;
};

/** Reads a whole list, all pages in one result: of what `pagesOf` reads page by page. */
export async function allOf<T extends object>(...asked: Parameters<typeof pagesOf<T>>): Promise<Page<T>> {
  const [, listing] = asked;
  for (let attempt = 0; ; attempt++) {
    try {
      const items: T[] = [];
      const rejected: RejectedObject[] = [];
      let resourceVersion = '';
      for await (const page of pagesOf(...asked)) {
        resourceVersion = page.resourceVersion ?? '';
        page.items.forEach((item) => items.push(item));
        page.rejected.forEach((one) => rejected.push(one));
      }
      return { items, rejected, continueToken: '', resourceVersion };
    } catch (error) {
      if (!isRefusal(error, 410)) {
        throw error;
      }
      if (attempt === MOST_RESTARTS) {
        throw new ApiError(
          `Listing ${qualified(listing.resource)} took longer than its resource version was valid, ${attempt + 1} times. Use larger pages, or run closer to the API server.`,
          { kind: 'refused', status: 410, reason: 'Expired', retryable: true, cause: error },
        );
      }
    }
  }
}
