import type { Message } from './message.ts';
import { type Cursor, readLength, readVarint, skip } from './wire.ts';

/** The bytes of a table's fields, concatenated, in a buffer that is reused. */
export interface Projection {
  /**
   * The table's fields of the message at the cursor, as a string that is equal exactly for equal bytes; `null` where
   * they have more than `most` bytes.
   */
  of(table: Message, cursor: Cursor, most: number): string | null;
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
  let kept = Buffer.allocUnsafe(64 * 1024);
  let length = 0;

  function keep(bytes: Buffer, start: number, end: number): void {
    if (start < end) {
      bytes.copy(kept, length, start, end);
      length += end - start;
    }
  }

  /** Returns the number of fields kept, or `POINTLESS`. */
  function project(table: Message, cursor: Cursor): number {
    const { bytes } = cursor;
    let count = 0;
    // Adjacent fields that are kept are copied at once.
    let start = cursor.position;
    let end = start;
    while (cursor.position < cursor.end) {
      const before = cursor.position;
      const tag = readVarint(cursor);
      const field = table[tag >>> 3];
      if (field !== undefined && field.sparse === null) {
        skip(cursor, tag & 7);
        end = cursor.position;
        count += 1;
        continue;
      }
      keep(bytes, start, end);
      if (field === undefined || field.sparse === null || field.wireType !== (tag & 7)) {
        skip(cursor, tag & 7);
      } else {
        const parts = keepParts(field.sparse.table, cursor, before);
        if (parts === 0 && field.sparse.essential) {
          return POINTLESS;
        }
        count += 1;
      }
      start = cursor.position;
      end = start;
    }
    keep(bytes, start, end);
    return count;
  }

  function keepParts(table: Message, cursor: Cursor, tagAt: number): number {
    const rewind = length;
    const outer = cursor.end;
    const tagEnd = cursor.position;
    const end = readLength(cursor);
    keep(cursor.bytes, tagAt, tagEnd);
    cursor.end = end;
    const count = project(table, cursor);
    cursor.position = end;
    cursor.end = outer;
    if (count === POINTLESS) {
      length = rewind;
    } else {
      kept[length++] = END;
    }
    return count;
  }

  return {
    of(table, cursor, longest) {
      // A message of n bytes has fewer than n parts, each of which adds one byte.
      const most = (cursor.end - cursor.position) * 2;
      if (most > kept.length) {
        kept = Buffer.allocUnsafe(most);
      }
      length = 0;
      project(table, cursor);
      return length > longest ? null : kept.toString('latin1', 0, length);
    },
  };
}
