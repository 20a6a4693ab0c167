import type { ObservedKind } from './kinds.ts';
import type { Page } from './json-page.ts';
import type { ObservedObject } from './observed.ts';
import { ACCEPT, pageReader } from './page.ts';
import { type Listing, type ListQuery, allOf, pagesOf } from './pages.ts';
import type { Transport } from '../client/transport.ts';

const listingOf = (kind: ObservedKind): Listing<ObservedObject> => ({
  kind: kind.kind,
  resource: kind.resource,
  accept: ACCEPT,
  reader: () => pageReader(kind),
});

/** `pagesOf` for a kind that is observed. */
export const listPages = (
  transport: Transport,
  kind: ObservedKind,
  query: ListQuery,
  signal?: AbortSignal,
): AsyncGenerator<Page<ObservedObject>, void, void> => pagesOf(transport, listingOf(kind), query, signal);

/** `allOf` for a kind that is observed. */
export const listAll = (
  transport: Transport,
  kind: ObservedKind,
  query: ListQuery,
  signal?: AbortSignal,
): Promise<Page<ObservedObject>> => allOf(transport, listingOf(kind), query, signal);
