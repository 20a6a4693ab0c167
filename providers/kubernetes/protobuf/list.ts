import { looseText } from '../../manifest/fields.ts';
import { type MessageFields, decodeNested, message, text } from './message.ts';
import { openEnvelope } from './envelope.ts';
import { type Cursor, DELIMITED, WireError, readLength, readVarint, skip } from './wire.ts';

// k8s.io/apimachinery/pkg/apis/meta/v1/generated.proto; every list has its ListMeta in field 1 and its items in field 2.
const LIST_META: MessageFields = message({ resourceVersion: text(2), continue: text(3) });
const METADATA = (1 << 3) | DELIMITED;
const ITEM = (2 << 3) | DELIMITED;

/** A page of a list, its items still undecoded. */
export interface ListPage {
  /** `''` on the last page. */
  readonly continueToken: string;
  /** `''` where the server does not state it. */
  readonly resourceVersion: string;
  /** A cursor for each item. */
  readonly items: readonly Cursor[];
}

/**
 * Splits a list into its items. It walks the whole page, so a truncated page is detected before any item is used.
 *
 * @param kind the kind of one item: `Pod` for a `PodList`.
 * @throws WireError when the page is not a whole list of that kind.
 */
export function splitList(bytes: Buffer, kind: string): ListPage {
  const envelope = openEnvelope(bytes);
  if (envelope.kind !== `${kind}List`) {
    throw new WireError(`expected a ${kind}List, found ${JSON.stringify(envelope.kind)}`, 0);
  }
  const cursor = envelope.content;
  const items: Cursor[] = [];
  let continueToken = '';
  let resourceVersion = '';
  while (cursor.position < cursor.end) {
    const tag = readVarint(cursor);
    if (tag === ITEM) {
      const end = readLength(cursor);
      items.push({ bytes, position: cursor.position, end });
      cursor.position = end;
    } else if (tag === METADATA) {
      const meta = decodeNested(LIST_META, cursor);
      continueToken = looseText(meta['continue']);
      resourceVersion = looseText(meta['resourceVersion']);
    } else {
      skip(cursor, tag & 7);
    }
  }
  return { continueToken, resourceVersion, items };
}
