import type { Rejected } from '../../../core/ports/cluster.ts';
import type { Pod } from '../../../core/model/cluster/pod.ts';
import type { Observed } from './observed.ts';
import { ApiError } from '../client/api-error.ts';
import { JSON_TYPE } from '../client/api-request.ts';
import { excerpt } from '../client/api-status.ts';
import type { Answer } from '../client/exchange.ts';
import type { ObservedKind } from './kinds.ts';
import { explainInvalid, type Invalid } from '../../manifest/invalid.ts';
import { PROTOBUF, openEnvelope } from '../protobuf/envelope.ts';
import { splitList } from '../protobuf/list.ts';
import { decodeMessage } from '../protobuf/message.ts';
import { type PodDecoder, podDecoder } from '../protobuf/pod.ts';
import { type Cursor, WireError, cursorOver } from '../protobuf/wire.ts';
import { meaningOf, outlineOf } from './unreadable.ts';

/** The readable part of a page of a list. */
export interface Page {
  readonly items: readonly Observed[];
  readonly rejected: readonly Rejected[];
  /** `''` on the last page. */
  readonly continueToken: string;
}

/** The accepted media types: protobuf, and JSON where a server (an aggregated API, a proxy) does not support it. */
export const ACCEPT = `${PROTOBUF}, ${JSON_TYPE};q=0.5`;

/** Reads the objects of one kind from the API server's responses in either encoding. */
export interface PageReader {
  /** Reads a page of a list. */
  readonly page: (answer: Answer) => Page;
  /** Reads a single object as a page of one. */
  readonly single: (answer: Answer) => Page;
}

/**
 * Creates a reader for all pages of one list; it caches what objects have in common.
 *
 * Its functions throw a retryable `ApiError` when a whole response cannot be read. An object that cannot be read is
 * added to the rejected, and its substitute to the items (`unreadable.ts`); the rest of the page is read.
 */
export function pageReader(kind: ObservedKind): PageReader {
  const read = kind.reader();
  const decodePod: PodDecoder | null = kind.kind === 'Pod' ? podDecoder() : null;

  function fromRaw(raw: unknown, fallbackPlace: string, rejected: Rejected[]): Observed | null {
    const problems: Invalid[] = [];
    const item = read(raw, `${placeOf(kind, raw) ?? fallbackPlace}: `, problems);
    const [first] = problems;
    return first === undefined ? item : instead(item, first, rejected);
  }

  /** The substitute for an object that cannot be read. */
  function instead(item: Observed, problem: Invalid, rejected: Rejected[]): Observed | null {
    const { closes, standIn } = meaningOf(kind.kind, item);
    if (kind.kind === 'Node' && standIn === null) {
      // Without its name, the instance without a node cannot be determined.
      throw new ApiError(
        `A node cannot be read, not even its name (${explainInvalid(problem)}). Without it, its instance would count as one that never became a node.`,
        { kind: 'unreadable', retryable: true },
      );
    }
    rejected.push(closes === null ? problem : { ...problem, closes });
    return standIn;
  }

  function fromProtobuf(item: Cursor, fallbackPlace: string, rejected: Rejected[]): Observed | null {
    const { bytes, position, end } = item;
    try {
      const pod: Pod | null = decodePod?.(cursorOver(bytes, position, end)) ?? null;
      return pod ?? fromRaw(decodeMessage(kind.table, cursorOver(bytes, position, end)), fallbackPlace, rejected);
    } catch (error) {
      if (error instanceof WireError) {
        const outline = outlined(kind, cursorOver(bytes, position, end));
        const place = placeOf(kind, outline) ?? fallbackPlace;
        const problem = { place, expected: `a ${kind.kind} in protobuf`, found: error.message };
        return instead(read(outline, '', []), problem, rejected);
      }
      throw error;
    }
  }

  return {
    page: (answer) =>
      readable(kind, answer, {
        protobuf: (body) => {
          const { items, continueToken } = splitList(body, kind.kind);
          return pageOf(kind, items, fromProtobuf, continueToken);
        },
        json: (body) => {
          const { items, continueToken } = splitJsonList(body, kind.kind);
          return pageOf(kind, items, fromRaw, continueToken);
        },
      }),
    single: (answer) =>
      readable(kind, answer, {
        protobuf: (body) => pageOf(kind, [openEnvelope(body).content], fromProtobuf, ''),
        json: (body) => pageOf(kind, [JSON.parse(body.toString('utf8')) as unknown], fromRaw, ''),
      }),
  };
}

function pageOf<T>(
  { kind }: ObservedKind,
  raw: readonly T[],
  readItem: (item: T, fallbackPlace: string, rejected: Rejected[]) => Observed | null,
  continueToken: string,
): Page {
  const items: Observed[] = [];
  const rejected: Rejected[] = [];
  for (let index = 0; index < raw.length; index++) {
    const item = readItem(raw[index]!, `${kind} number ${index + 1} of its page`, rejected);
    if (item !== null) {
      items.push(item);
    }
  }
  return { items, rejected, continueToken };
}

function readable<T>(
  { resource }: ObservedKind,
  { contentType, body }: Answer,
  as: { protobuf: (body: Buffer) => T; json: (body: Buffer) => T },
): T {
  const decode = contentType === PROTOBUF ? as.protobuf : contentType === JSON_TYPE ? as.json : null;
  if (decode === null) {
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

/** The subject of a malformed object, as far as it can be read. */
function outlined({ kind }: ObservedKind, cursor: Cursor): unknown {
  try {
    return outlineOf(kind, cursor);
  } catch (error) {
    if (error instanceof WireError) {
      return {};
    }
    throw error;
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function splitJsonList(body: Buffer, kind: string): { items: readonly unknown[]; continueToken: string } {
  const list: unknown = JSON.parse(body.toString('utf8'));
  if (!isRecord(list) || list['kind'] !== `${kind}List`) {
    throw new SyntaxError(`expected a ${kind}List, found ${JSON.stringify(isRecord(list) ? list['kind'] : list)}`);
  }
  const { items, metadata } = list;
  const token = isRecord(metadata) ? metadata['continue'] : undefined;
  if (items !== null && !Array.isArray(items)) {
    throw new SyntaxError(`the ${kind}List has no items`);
  }
  return { items: items ?? [], continueToken: typeof token === 'string' ? token : '' };
}

/** `Pod default/web-1`; `null` for an object without a readable name. */
function placeOf({ kind }: ObservedKind, raw: unknown): string | null {
  const metadata = isRecord(raw) ? raw['metadata'] : null;
  if (!isRecord(metadata) || typeof metadata['name'] !== 'string') {
    return null;
  }
  const { namespace, name } = metadata;
  return typeof namespace === 'string' && namespace !== '' ? `${kind} ${namespace}/${name}` : `${kind} ${name}`;
}
