import type { SectionReader } from '../../manifest/fields.ts';
import { isRefusal } from '../client/api-error.ts';
import { type ApiResource, JSON_TYPE } from '../client/api-request.ts';
import type { Transport } from '../client/transport.ts';
import { jsonPageReader, type Page } from './json-page.ts';
import { allOf } from './pages.ts';
import { sizeLimit } from './size-limit.ts';

/** No object of a kind. */
export const NONE: Page<never> = Object.freeze({ items: [], rejected: [], continueToken: '' });

/** A kind of objects that the API server has as JSON alone, or may not have. */
export interface JsonKind<T extends object> {
  readonly kind: string;
  readonly resource: ApiResource;
  readonly read: SectionReader<T>;
  /** The substitute for an object that cannot be read; absent: such objects are left out. */
  readonly standIn?: (item: T) => T | null;
  /** Status codes by which the API server says that there are none; absent: a refusal is an error. */
  readonly noneBy?: readonly number[];
  /**
   * Is only a limited size read of each namespace? Its users create such objects, and an object that is missing permits nothing.
   */
  readonly limited?: boolean;
}

/** With a limit, pages are small: a page is read in whole before its objects are counted. */
const LIMITED_PAGE = 250;

/** All objects of a kind, page by page. @throws ApiError for other refusals than those of `noneBy`. */
export async function listJson<T extends object>(
  transport: Transport,
  { kind, resource, read, standIn, noneBy, limited = false }: JsonKind<T>,
  pageSize: number,
  signal: AbortSignal,
): Promise<Page<T>> {
  const reader = () => jsonPageReader({ kind, resource }, read, standIn, limited ? sizeLimit(kind) : undefined);
  const listing = { kind, resource, accept: JSON_TYPE, reader };
  const most = limited ? Math.min(pageSize, LIMITED_PAGE) : pageSize;
  return await orNone(noneBy, allOf(transport, listing, { pageSize: most }, signal));
}

/** Awaits a list: no objects if the API server refuses with one of the status codes. */
export async function orNone<T extends object>(
  noneBy: readonly number[] | undefined,
  listed: Promise<Page<T>>,
): Promise<Page<T>> {
  try {
    return await listed;
  } catch (error) {
    if (isRefusal(error, ...(noneBy ?? []))) {
      return NONE;
    }
    throw error;
  }
}
