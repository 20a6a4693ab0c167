import { type Cursor, DELIMITED, WireError, cursorOver, readLength, readText, readVarint, skip } from './wire.ts';

export const PROTOBUF = 'application/vnd.kubernetes.protobuf';

const MAGIC = Buffer.from('k8s\0', 'latin1');

// Fields of runtime.Unknown (k8s.io/apimachinery/pkg/runtime/generated.proto) and of its TypeMeta.
const TYPE_META = (1 << 3) | DELIMITED;
const RAW = (2 << 3) | DELIMITED;
const CONTENT_ENCODING = (3 << 3) | DELIMITED;
const KIND = (2 << 3) | DELIMITED;

export interface Envelope {
  readonly kind: string;
  /** At the start of the object's message; its end is that of the message. */
  readonly content: Cursor;
}

/**
 * Opens a body of type `application/vnd.kubernetes.protobuf`: four magic bytes, then a
 * `runtime.Unknown` around the object.
 *
 * @throws WireError when the bytes are something else, or are truncated.
 */
export function openEnvelope(bytes: Buffer): Envelope {
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw new WireError('the magic bytes of Kubernetes protobuf are missing', 0);
  }
  const cursor = cursorOver(bytes, MAGIC.length);
  let kind = '';
  let content: Cursor | null = null;
  while (cursor.position < cursor.end) {
    const tag = readVarint(cursor);
    if (tag === TYPE_META) {
      kind = kindOf(cursor);
    } else if (tag === RAW) {
      const end = readLength(cursor);
      content = cursorOver(bytes, cursor.position, end);
      cursor.position = end;
    } else if (tag === CONTENT_ENCODING) {
      const encoding = readText(cursor);
      if (encoding !== '') {
        throw new WireError(`the content encoding ${JSON.stringify(encoding)} is not known`, cursor.position);
      }
    } else {
      skip(cursor, tag & 7);
    }
  }
  if (content === null) {
    throw new WireError('the envelope holds no object', cursor.position);
  }
  return { kind, content };
}

function kindOf(cursor: Cursor): string {
  const outer = cursor.end;
  cursor.end = readLength(cursor);
  let kind = '';
  while (cursor.position < cursor.end) {
    const tag = readVarint(cursor);
    if (tag === KIND) {
      kind = readText(cursor);
    } else {
      skip(cursor, tag & 7);
    }
  }
  cursor.end = outer;
  return kind;
}
