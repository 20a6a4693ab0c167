import { fieldOfTag, type MessageFields } from './message.ts';
import { type Cursor, readLength, readVarint, skip } from './wire.ts';

/** The bytes of a table's fields, concatenated, in a buffer that is reused. */
export interface Projection {
  /**
   * The table's fields of the message at the cursor, as a string that is equal exactly for equal bytes; `null` where
   * they have more than `most` bytes.
   */
  of(table: MessageFields, cursor: Cursor, most: number): string | null;
}

/** No field has the number 0, so no tag is 0: this marks the end of a projected message. */
const END = 0;

/** The message is unused without its essential field: a volume of a kind that is not read. */
const POINTLESS = -1;

/**
 * Reduces messages to the fields that are used, without decoding them. Two messages with equal projections
 * decode to equal objects, so one of them need not be decoded at all: the specs of a controller's pods are the same but
 * for the node and the name of the token's volume, and they are most of a list's bytes.
 */
export function projection(): Projection {
  const kept: KeptBytes = { bytes: Buffer.allocUnsafe(64 * 1024), length: 0 };
  return {
    of(table, cursor, longest) {
      // A message of n bytes has fewer than n parts, each of which adds one byte.
      const most = (cursor.end - cursor.position) * 2;
      if (most > kept.bytes.length) {
        kept.bytes = Buffer.allocUnsafe(most);
      }
      kept.length = 0;
      project(kept, table, cursor);
      return kept.length > longest ? null : kept.bytes.toString('latin1', 0, kept.length);
    },
  };
}

/** The part of a message that is kept so far. */
interface KeptBytes {
  bytes: Buffer;
  length: number;
}

function keep(kept: KeptBytes, bytes: Buffer, start: number, end: number): void {
  if (start < end) {
    bytes.copy(kept.bytes, kept.length, start, end);
    kept.length += end - start;
  }
}

/** Returns the number of fields kept, or `POINTLESS`. */
function project(kept: KeptBytes, table: MessageFields, cursor: Cursor): number {
  const { bytes } = cursor;
  let count = 0;
  // Adjacent fields that are kept are copied at once.
  let start = cursor.position;
  let end = start;
  while (cursor.position < cursor.end) {
    const before = cursor.position;
    const tag = readVarint(cursor);
    const field = fieldOfTag(table, tag);
    if (field !== undefined && field.sparse === null) {
      skip(cursor, tag & 7);
      end = cursor.position;
      count += 1;
      continue;
    }
    keep(kept, bytes, start, end);
    if (field === undefined || field.sparse === null || field.wireType !== (tag & 7)) {
      skip(cursor, tag & 7);
    } else {
      const parts = keepParts(kept, field.sparse.table, cursor, before);
      if (parts === 0 && field.sparse.essential) {
        return POINTLESS;
      }
      count += 1;
    }
    start = cursor.position;
    end = start;
  }
  keep(kept, bytes, start, end);
  return count;
}

function keepParts(kept: KeptBytes, table: MessageFields, cursor: Cursor, tagAt: number): number {
  const rewind = kept.length;
  const outer = cursor.end;
  const tagEnd = cursor.position;
  const end = readLength(cursor);
  keep(kept, cursor.bytes, tagAt, tagEnd);
  cursor.end = end;
  const count = project(kept, table, cursor);
  cursor.position = end;
  cursor.end = outer;
  if (count === POINTLESS) {
    kept.length = rewind;
  } else {
    kept.bytes[kept.length++] = END;
  }
  return count;
}
