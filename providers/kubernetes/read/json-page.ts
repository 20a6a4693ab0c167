import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import type { RejectedObject } from '@outrigger/core/ports/cluster.ts';
import { ApiError } from '../client/api-error.ts';
import { type ApiResource, JSON_TYPE } from '../client/api-request.ts';
import { excerpt } from '../client/api-status.ts';
import type { Answer } from '../client/exchange.ts';
import { attempt, isFields, looseFields, looseText, type SectionReader } from '../../manifest/fields.ts';
import type { Invalid } from '../../manifest/invalid.ts';
import { PROTOBUF } from '../protobuf/envelope.ts';
import { WireError } from '../protobuf/wire.ts';
import type { SizeLimit } from './size-limit.ts';

/** The readable part of a page of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly rejected: readonly RejectedObject[];
  /** `''` on the last page. */
  readonly continueToken: string;
  /** Version of the whole list; absent or `''` where the server does not state it. */
  readonly resourceVersion?: string;
  /** Namespaces of which no more is read; absent: none. */
  readonly exhausted?: readonly string[];
}

/** A kind, and where the API server has its objects. */
export interface ListedKind {
  readonly kind: string;
  readonly resource: ApiResource;
}

/** Reads the objects of one kind from the API server's responses. */
export interface PageReader<T> {
  /** Reads a page of a list. */
  readonly page: (answer: Answer) => Page<T>;
  /** Reads a single object as a page of one. */
  readonly single: (answer: Answer) => Page<T>;
}

/**
 * Creates a reader for JSON, which is all that custom resources have. Objects that cannot be read are rejected.
 *
 * @param standIn the substitute for such an object; absent: there is none.
 * @param limit of what is read of each namespace; absent: there is none.
 */
export function jsonPageReader<T>(
  kind: ListedKind,
  read: SectionReader<T>,
  standIn: (item: T) => T | null = () => null,
  limit?: SizeLimit,
): PageReader<T> {
  const item = (raw: unknown, fallbackPlace: string, rejected: RejectedObject[]): T | null => {
    const problems: Invalid[] = [];
    const value = attempt(read, raw, `${objectPlace(kind, raw) ?? fallbackPlace}: `, problems);
    const [first] = problems;
    if (first === undefined) {
      return value;
    }
    rejected.push(first);
    return mapOptional(value, standIn);
  };
  return {
    page: (answer) =>
      readListItem(kind, answer, {
        json: (body) => {
          const list = splitJsonList(body, kind.kind);
          if (limit === undefined) {
            return pageOf(kind, list, item);
          }
          const excess: RejectedObject[] = [];
          const items = list.items.filter((raw) => limit.admits(raw, excess));
          const page = pageOf(kind, { ...list, items }, item);
          return { ...page, rejected: [...page.rejected, ...excess], exhausted: limit.exhausted() };
        },
      }),
    single: (answer) =>
      readListItem(kind, answer, {
        json: (body) => pageOf(kind, single(JSON.parse(body.toString('utf8'))), item),
      }),
  };
}

/** A page of a list, its items not read yet. */
export interface RawPage<R> extends Pick<Page<R>, 'items' | 'continueToken' | 'resourceVersion'> {}

/** A page of one object. */
export const single = <R>(item: R): RawPage<R> => ({ items: [item], continueToken: '' });

/**
 * Reads a page item by item.
 *
 * @param readItem adds what cannot be read to `rejected`; `null`: the item has no substitute.
 */
export function pageOf<R, T>(
  { kind }: ListedKind,
  { items: raw, ...page }: RawPage<R>,
  readItem: (item: R, fallbackPlace: string, rejected: RejectedObject[]) => T | null,
): Page<T> {
  const items: T[] = [];
  const rejected: RejectedObject[] = [];
  for (const [index, one] of raw.entries()) {
    const item = readItem(one, `${kind} number ${index + 1} of its page`, rejected);
    if (item !== null) {
      items.push(item);
    }
  }
  return { ...page, items, rejected };
}

/** @throws ApiError, retryable, where the whole response cannot be read. */
export function readListItem<T>(
  { resource }: ListedKind,
  { contentType, body }: Answer,
  as: { protobuf?: (body: Buffer) => T; json: (body: Buffer) => T },
): T {
  const decode = new Map([
    [PROTOBUF, as.protobuf],
    [JSON_TYPE, as.json],
  ]).get(contentType);
  if (decode === undefined) {
    throw new ApiError(
      `The response for ${resource.resource} has the content type ${JSON.stringify(contentType)}, which is not an API server's ("${excerpt(body)}"). Check that the address is that of the API server and not a proxy's login page.`,
      { kind: 'unreadable', retryable: true },
    );
  }
  try {
    return decode(body);
  } catch (error) {
    if (error instanceof WireError || error instanceof SyntaxError) {
      throw new ApiError(
        `The response for ${resource.resource} (${contentType}, ${body.length} bytes) cannot be read: ${error.message}. If this persists, a proxy on the way to the API server modifies its responses.`,
        { kind: 'unreadable', retryable: true, cause: error },
      );
    }
    throw error;
  }
}

export function splitJsonList(body: Buffer, kind: string): RawPage<unknown> {
  const list: unknown = JSON.parse(body.toString('utf8'));
  const { kind: found, items, metadata } = looseFields(list);
  if (found !== `${kind}List`) {
    throw new SyntaxError(`expected a ${kind}List, found ${JSON.stringify(isFields(list) ? found : list)}`);
  }
  const said = (name: string): string => looseText(looseFields(metadata)[name]);
  if (items !== null && !Array.isArray(items)) {
    throw new SyntaxError(`the ${kind}List has no items`);
  }
  return { items: items ?? [], continueToken: said('continue'), resourceVersion: said('resourceVersion') };
}

/** `Pod default/web-1`; `null` for an object without a readable name. */
export function objectPlace({ kind }: ListedKind, raw: unknown): string | null {
  const { namespace, name } = looseFields(looseFields(raw)['metadata']);
  if (typeof name !== 'string') {
    return null;
  }
  return typeof namespace === 'string' && namespace !== '' ? `${kind} ${namespace}/${name}` : `${kind} ${name}`;
}
