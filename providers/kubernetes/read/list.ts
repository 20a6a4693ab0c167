import type { ObservedKind } from './kinds.ts';
import type { Page } from './json-page.ts';
import type { ObservedObject } from './observed.ts';
import { ACCEPT, pageReader } from './page.ts';
import { type Listing, type ListQuery, allOf } from './pages.ts';
import type { Transport } from '../client/transport.ts';

/** Lists objects of a kind that is observed. */
export const listingOf = (kind: ObservedKind): Listing<ObservedObject> => ({
  kind: kind.kind,
  resource: kind.resource,
  accept: ACCEPT,
  reader: () => pageReader(kind),
});

/** `allOf` for a kind that is observed. */
export const listAll = (
  transport: Transport,
  kind: ObservedKind,
  query: ListQuery,
  signal?: AbortSignal,
): Promise<Page<ObservedObject>> => allOf(transport, listingOf(kind), query, signal);
