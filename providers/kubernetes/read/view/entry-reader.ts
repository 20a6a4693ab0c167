import type { RejectedObject } from '@outrigger/core/ports/cluster.ts';
import { looseText } from '../../../manifest/fields.ts';
import { readStatus } from '../../client/api-status.ts';
import { JSON_TYPE } from '../../client/api-request.ts';
import type { Answer } from '../../client/exchange.ts';
import { openEnvelope, PROTOBUF } from '../../protobuf/envelope.ts';
import { splitList } from '../../protobuf/list.ts';
import { decodeMessage, message, nested, type Raw, text } from '../../protobuf/message.ts';
import { type Cursor, cursorOver, WireError } from '../../protobuf/wire.ts';
import { type Page, pageOf, readListItem, splitJsonList } from '../json-page.ts';
import type { ObservedKind } from '../kinds.ts';
import { objectReader } from '../page.ts';
import { type ListEntry, entryKey, versionOf } from './entries.ts';
import type { WatchEvent } from './watch-event.ts';

/**
 * Reads the objects of one kind with their keys. The reader caches the parts that objects share, so equal specs stay
 * one object.
 */
export interface EntryReader {
  readonly page: (answer: Answer) => Page<ListEntry>;
  /** The object of an `ADDED` or `MODIFIED` event. */
  readonly entry: (event: WatchEvent) => ListEntry;
}

export function entryReader(kind: ObservedKind): EntryReader {
  const { fromRaw, fromProtobuf } = objectReader(kind);

  /** @param meta reads name and namespace, where the item does not have them. */
  function entryOf<R>(
    read: (raw: R, fallbackPlace: string, rejected: RejectedObject[]) => ListEntry['item'],
    meta: (raw: R) => Meta,
  ): (raw: R, fallbackPlace: string) => ListEntry {
    return (raw, fallbackPlace) => {
      const rejected: RejectedObject[] = [];
      const item = read(raw, fallbackPlace, rejected);
      const key = item === null || rejected.length > 0 ? entryKey(meta(raw)) : entryKey(item);
      return { key, item, rejected: rejected.length === 0 ? NONE : rejected };
    };
  }
  const protobuf = entryOf(fromProtobuf, ({ bytes, position, end }) => metaAt(cursorOver(bytes, position, end)));
  const json = entryOf(fromRaw, metaIn);

  return {
    page: (answer) =>
      readListItem(kind, answer, {
        protobuf: (body) => pageOf(kind, splitList(body, kind.kind), protobuf),
        json: (body) => pageOf(kind, splitJsonList(body, kind.kind), json),
      }),
    entry: ({ object }) =>
      'protobuf' in object ? protobuf(openEnvelope(object.protobuf).content, '') : json(object.json, ''),
  };
}

const NONE: readonly RejectedObject[] = Object.freeze([]);

/** The parts of an object's metadata that identify the object, and its version. */
interface Meta {
  readonly name?: unknown;
  readonly namespace?: unknown;
  readonly resourceVersion?: unknown;
}

const META = message({ metadata: nested(1, message({ name: text(1), namespace: text(3), resourceVersion: text(6) })) });

const metaIn = (raw: unknown): Meta => (raw as Raw | null)?.['metadata'] ?? {};

function metaAt(cursor: Cursor): Meta {
  try {
    return metaIn(decodeMessage(META, cursor));
  } catch (error) {
    if (error instanceof WireError) {
      return {};
    }
    throw error;
  }
}

const metaOfEvent = ({ object }: WatchEvent): Meta =>
  'protobuf' in object ? metaAt(openEnvelope(object.protobuf).content) : metaIn(object.json);

/** The key and version of an event's object; `''` and `null` where they cannot be read. */
export function identityOf(event: WatchEvent): { readonly key: string; readonly version: number | null } {
  const meta = metaOfEvent(event);
  return { key: entryKey(meta), version: versionOf(looseText(meta.resourceVersion)) };
}

/** The reason of an `ERROR` event: `Expired`, say. */
export function reasonOf({ object }: WatchEvent): string {
  if ('protobuf' in object) {
    return readStatus(PROTOBUF, object.protobuf).reason;
  }
  return readStatus(JSON_TYPE, Buffer.from(JSON.stringify(object.json) ?? '')).reason;
}
