import { looseFields } from '../../../manifest/fields.ts';
import { JSON_TYPE } from '../../client/api-request.ts';
import { PROTOBUF } from '../../protobuf/envelope.ts';
import {
  type Cursor,
  cursorOver,
  DELIMITED,
  readLength,
  readText,
  readVarint,
  skip,
  WireError,
} from '../../protobuf/wire.ts';

/** An event of a watch, its object not read yet. */
export interface WatchEvent {
  /** `ADDED`, `MODIFIED`, `DELETED`, `BOOKMARK` or `ERROR`. */
  readonly type: string;
  /** In the envelope of protobuf, or as parsed from JSON. */
  readonly object: { readonly protobuf: Buffer } | { readonly json: unknown };
}

/** Splits the bytes of a watch into its events, as they come. */
export type EventSplitter = (chunk: Buffer, contentType: string) => readonly WatchEvent[];

/**
 * In protobuf each event is a `metav1.WatchEvent` after its length in four bytes (`LengthDelimitedFramer` of
 * k8s.io/apimachinery/pkg/util/framer); in JSON it is a line.
 *
 * @param maxBytes of one event
 * @throws WireError, SyntaxError for bytes that are no watch.
 */
export function eventSplitter(maxBytes: number): EventSplitter {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk, contentType) => {
    const take = TAKES.get(contentType);
    if (take === undefined) {
      throw new SyntaxError(`the content type of a watch is ${JSON.stringify(contentType)}`);
    }
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const events: WatchEvent[] = [];
    for (let taken = take(rest, maxBytes); taken !== null; taken = take(rest, maxBytes)) {
      events.push(...taken.event);
      rest = rest.subarray(taken.length);
    }
    return events;
  };
}

/** The first event of some bytes, and its length there; `null`: it is not complete. */
type Take = (
  bytes: Buffer,
  maxBytes: number,
) => { readonly event: readonly WatchEvent[]; readonly length: number } | null;

const LENGTH_BYTES = 4;

const takeProtobuf: Take = (bytes, maxBytes) => {
  if (bytes.length < LENGTH_BYTES) {
    return null;
  }
  const length = bytes.readUInt32BE(0);
  if (length > maxBytes) {
    throw new WireError(`an event has ${length} bytes`, 0);
  }
  const end = LENGTH_BYTES + length;
  if (bytes.length < end) {
    return null;
  }
  return { event: [watchEvent(cursorOver(bytes, LENGTH_BYTES, end))], length: end };
};

const NEWLINE = 10;

const takeLine: Take = (bytes, maxBytes) => {
  const end = bytes.indexOf(NEWLINE);
  if ((end < 0 ? bytes.length : end) > maxBytes) {
    throw new SyntaxError('an event is too large');
  }
  if (end < 0) {
    return null;
  }
  const line = bytes.toString('utf8', 0, end).trim();
  return { event: line === '' ? [] : [fromJson(JSON.parse(line))], length: end + 1 };
};

const TAKES: ReadonlyMap<string, Take> = new Map([
  [PROTOBUF, takeProtobuf],
  [JSON_TYPE, takeLine],
]);

function fromJson(parsed: unknown): WatchEvent {
  const { type, object } = looseFields(parsed);
  if (typeof type !== 'string') {
    throw new SyntaxError('an event of a watch has no type');
  }
  return { type, object: { json: object } };
}

// k8s.io/apimachinery/pkg/apis/meta/v1/generated.proto; the object is a runtime.RawExtension with its bytes in field 1.
const TYPE = (1 << 3) | DELIMITED;
const OBJECT = (2 << 3) | DELIMITED;
const RAW = (1 << 3) | DELIMITED;

function watchEvent(cursor: Cursor): WatchEvent {
  let type = '';
  let object: Buffer | null = null;
  while (cursor.position < cursor.end) {
    const tag = readVarint(cursor);
    if (tag === TYPE) {
      type = readText(cursor);
    } else if (tag === OBJECT) {
      const end = readLength(cursor);
      object = rawIn(cursorOver(cursor.bytes, cursor.position, end));
      cursor.position = end;
    } else {
      skip(cursor, tag & 7);
    }
  }
  if (object === null) {
    throw new WireError('an event of a watch has no object', cursor.position);
  }
  return { type, object: { protobuf: object } };
}

function rawIn(cursor: Cursor): Buffer | null {
  let raw: Buffer | null = null;
  while (cursor.position < cursor.end) {
    const tag = readVarint(cursor);
    if (tag === RAW) {
      const end = readLength(cursor);
      raw = cursor.bytes.subarray(cursor.position, end);
      cursor.position = end;
    } else {
      skip(cursor, tag & 7);
    }
  }
  return raw;
}
