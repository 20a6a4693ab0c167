import { present } from '@outrigger/core/model/values/present.ts';
import type { RejectedObject } from '@outrigger/core/ports/cluster.ts';
import type { Pod } from '@outrigger/core/model/cluster/pod.ts';
import type { ObservedObject } from './observed.ts';
import { ApiError } from '../client/api-error.ts';
import { JSON_TYPE } from '../client/api-request.ts';
import { type PageReader, pageOf, objectPlace, readListItem, single, splitJsonList } from './json-page.ts';
import type { ObservedKind } from './kinds.ts';
import { attempt, looseFields, type SectionReader, sectionOf } from '../../manifest/fields.ts';
import { explainInvalid, type Invalid } from '../../manifest/invalid.ts';
import { PROTOBUF, openEnvelope } from '../protobuf/envelope.ts';
import { splitList } from '../protobuf/list.ts';
import { decodeMessage } from '../protobuf/message.ts';
import { type PodDecoder, podDecoder } from '../protobuf/pod.ts';
import { type Cursor, WireError, cursorOver } from '../protobuf/wire.ts';
import { meaningOf, outlineOf } from './unreadable.ts';

/** The accepted media types: protobuf, and JSON where a server (an aggregated API, a proxy) does not support it. */
export const ACCEPT = `${PROTOBUF}, ${JSON_TYPE};q=0.5`;

/**
 * Reads single objects of one kind, in either encoding. An object that cannot be read is added to `rejected`, and its
 * substitute is returned (`unreadable.ts`); `null`: there is none.
 */
export interface ObjectReader {
  readonly fromRaw: (raw: unknown, fallbackPlace: string, rejected: RejectedObject[]) => ObservedObject | null;
  readonly fromProtobuf: (item: Cursor, fallbackPlace: string, rejected: RejectedObject[]) => ObservedObject | null;
}

/** Creates a reader for objects of one cluster; the reader caches the parts that objects share. */
export function objectReader(kind: ObservedKind): ObjectReader {
  const read = kind.reader();
  const decodePod: PodDecoder | null = kind.kind === 'Pod' ? podDecoder() : null;

  function fromRaw(raw: unknown, fallbackPlace: string, rejected: RejectedObject[]): ObservedObject | null {
    const problems: Invalid[] = [];
    const item = attempt(read, raw, `${objectPlace(kind, raw) ?? fallbackPlace}: `, problems);
    const [first] = problems;
    if (first === undefined) {
      return item;
    }
    // If the reader fails on an object, only the object's identity and node are read.
    return instead(item ?? outlineBy(read, raw), first, rejected);
  }

  /** The substitute for an object that cannot be read. */
  function instead(item: ObservedObject, problem: Invalid, rejected: RejectedObject[]): ObservedObject | null {
    const { excludes, standIn } = meaningOf(kind.kind, item);
    if (kind.kind === 'Node' && standIn === null) {
      // Without its name, the instance without a node cannot be determined.
      throw new ApiError(
        `A node cannot be read, not even its name (${explainInvalid(problem)}). Without the name, the instance would count as never registered.`,
        { kind: 'unreadable', retryable: true },
      );
    }
    rejected.push({ ...problem, ...present({ excludes }) });
    return standIn;
  }

  function fromProtobuf(item: Cursor, fallbackPlace: string, rejected: RejectedObject[]): ObservedObject | null {
    const { bytes, position, end } = item;
    try {
      const pod: Pod | null = decodePod?.(cursorOver(bytes, position, end)) ?? null;
      return pod ?? fromRaw(decodeMessage(kind.table, cursorOver(bytes, position, end)), fallbackPlace, rejected);
    } catch (error) {
      if (error instanceof WireError) {
        const outline = outlined(kind, cursorOver(bytes, position, end));
        const place = objectPlace(kind, outline) ?? fallbackPlace;
        const problem = { place, expected: `a ${kind.kind} in protobuf`, found: error.message };
        return instead(read(sectionOf(outline, '', [])), problem, rejected);
      }
      throw error;
    }
  }

  return { fromRaw, fromProtobuf };
}

/**
 * Creates a reader for all pages of one list, in either encoding.
 *
 * Its functions throw a retryable `ApiError` when a whole response cannot be read. An unreadable object is replaced by
 * its substitute; the rest of the page is read.
 */
export function pageReader(kind: ObservedKind): PageReader<ObservedObject> {
  const { fromRaw, fromProtobuf } = objectReader(kind);
  return {
    page: (answer) =>
      readListItem(kind, answer, {
        protobuf: (body) => pageOf(kind, splitList(body, kind.kind), fromProtobuf),
        json: (body) => pageOf(kind, splitJsonList(body, kind.kind), fromRaw),
      }),
    single: (answer) =>
      readListItem(kind, answer, {
        protobuf: (body) => pageOf(kind, single(openEnvelope(body).content), fromProtobuf),
        json: (body) => pageOf(kind, single(JSON.parse(body.toString('utf8'))), fromRaw),
      }),
  };
}

/** The identity of an object, and its node, for an object that its reader fails on. */
function outlineBy(read: SectionReader<ObservedObject>, raw: unknown): ObservedObject {
  const { metadata, spec } = looseFields(raw);
  const { name, namespace, uid } = looseFields(metadata);
  const { nodeName, providerID } = looseFields(spec);
  const outline = { metadata: { name, namespace, uid }, spec: { nodeName, providerID } };
  return attempt(read, outline, '', []) ?? ({ name: '', nodeName: '', namespace: '' } as ObservedObject);
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
