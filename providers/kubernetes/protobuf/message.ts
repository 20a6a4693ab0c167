/**
 * Partial decoding by tables. A table lists the fields of a message that are used, with their numbers from the
 * `generated.proto` files of k8s.io/api; all other fields are skipped. The result has the shape of the same object in
 * JSON, so that one reader (`manifest/`) interprets both encodings and sets defaults.
 */
import { type EpochMs, epochMs, formatTime } from '@outrigger/core/model/values/time.ts';
import { type Cursor, DELIMITED, VARINT, WireError, readLength, readText, readVarint, skip } from './wire.ts';

export type Raw = Record<string, unknown>;

type Decode = (cursor: Cursor, into: Raw, name: string) => void;

interface Field {
  readonly number: number;
  readonly wireType: number;
  readonly decode: Decode;
  /** Set by `sparse`; `null` elsewhere. */
  readonly sparse: Sparse | null;
}

interface Sparse {
  readonly table: MessageFields;
  readonly essential: boolean;
}

interface NamedField extends Field {
  readonly name: string;
}

/** The fields to read, by field number. No field has the number 0: its place stands for every number beyond the table. */
export type MessageFields = readonly (NamedField | undefined)[];

/** Creates a table from the JSON names of fields. */
export function message(fields: Readonly<Record<string, Field>>): MessageFields {
  const table: (NamedField | undefined)[] = [];
  for (const [name, field] of Object.entries(fields)) {
    table[field.number] = { ...field, name };
  }
  // Without holes, a lookup past a gap does not walk the prototype chain.
  return Array.from(table);
}

/**
 * Creates a table of a message in which no field may be overlooked: a field that the table does not know is read as `field 45`, which no
 * field of JSON is named.
 *
 * @param unread numbers of the known fields that are skipped.
 */
export function completeMessage(
  fields: Readonly<Record<string, Field>>,
  unread: Readonly<Record<string, number>> = {},
): MessageFields {
  const known = message(fields);
  const skipped = new Set(Object.values(unread));
  return Array.from({ length: Math.max(known.length, ...[...skipped].map((number) => number + 1)) }, (_, number) =>
    skipped.has(number) ? undefined : (known[number] ?? UNKNOWN_FIELD),
  );
}

/** The entry of a table for the field of a tag. */
export const fieldOfTag = (table: MessageFields, tag: number): NamedField | undefined => {
  const number = tag >>> 3;
  return table[number < table.length ? number : 0];
};

/** Reads from the cursor to its end. Fields that occur twice are merged or overwritten, as protobuf specifies. */
export function decodeMessage(table: MessageFields, cursor: Cursor, into: Raw = {}): Raw {
  while (cursor.position < cursor.end) {
    const tag = readVarint(cursor);
    const field = fieldOfTag(table, tag);
    if (field === undefined) {
      skip(cursor, tag & 7);
    } else if (field === UNKNOWN_FIELD) {
      noteUnknown(cursor, tag, into);
    } else if (field.wireType === (tag & 7)) {
      field.decode(cursor, into, field.name);
    } else {
      throw new WireError(`${field.name} has wire type ${tag & 7}`, cursor.position);
    }
  }
  return into;
}

/** Stands in tables for the fields that a newer Kubernetes has. */
const UNKNOWN_FIELD: NamedField = { name: '', number: 0, wireType: -1, decode: () => {}, sparse: null };

/** A number 0 and an empty text do not count: Go writes them for fields without a value. */
function noteUnknown(cursor: Cursor, tag: number, into: Raw): void {
  const before = cursor.position;
  skip(cursor, tag & 7);
  if (cursor.position > before + 1 || cursor.bytes[before] !== 0) {
    into[`field ${tag >>> 3}`] = true;
  }
}

/** Reads the length-delimited message at the cursor. */
export function decodeNested(table: MessageFields, cursor: Cursor, into: Raw = {}): Raw {
  const outer = cursor.end;
  cursor.end = readLength(cursor);
  decodeMessage(table, cursor, into);
  cursor.end = outer;
  return into;
}

/** Sets a key from an untrusted object: `__proto__` is a key like any other. */
function setKey(into: Raw, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(into, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    into[key] = value;
  }
}

const delimited = (number: number, decode: Decode): Field => ({ number, wireType: DELIMITED, decode, sparse: null });

const varint = (number: number, decode: Decode): Field => ({ number, wireType: VARINT, decode, sparse: null });

/**
 * Marks a field whose message consists mostly of unused fields, which differ where the used ones are equal (see
 * `projection.ts`).
 *
 * @param essential without any field of `table`, the message around this one is not used either.
 */
export const sparse = (field: Field, table: MessageFields, essential = false): Field => ({
  ...field,
  sparse: { table, essential },
});

/** A string that JSON omits when it is empty. */
export const text = (number: number): Field =>
  delimited(number, (cursor, into, name) => {
    const value = readText(cursor);
    if (value !== '') {
      into[name] = value;
    }
  });

/** A string that may be present and empty (`*string` in Go). */
export const givenText = (number: number): Field =>
  delimited(number, (cursor, into, name) => {
    into[name] = readText(cursor);
  });

export const int = (number: number): Field =>
  varint(number, (cursor, into, name) => {
    into[name] = readVarint(cursor);
  });

export const bool = (number: number): Field =>
  varint(number, (cursor, into, name) => {
    into[name] = readVarint(cursor) !== 0;
  });

const FIRST_SECOND = Date.parse('0000-01-01T00:00:00Z') / 1_000;
const LAST_SECOND = Date.parse('9999-12-31T23:59:59Z') / 1_000;

const TIME = message({ seconds: int(1), nanos: int(2) });

/** A `metav1.Time`: whole seconds. The zero time is an empty message, `null` in JSON. */
export const timeField = (number: number): Field =>
  delimited(number, (cursor, into, name) => {
    const value = readTime(cursor);
    if (value !== null) {
      into[name] = value;
    }
  });

function readTime(cursor: Cursor): string | null {
  const { seconds } = decodeNested(TIME, cursor);
  return typeof seconds === 'number' ? formatTime(timeOf(seconds, cursor)) : null;
}

/**
 * @param seconds since 1970.
 * @throws WireError for years before 0000 and after 9999: the API server writes none, and neither JSON nor RFC 3339 has
 *   any.
 */
export function timeOf(seconds: number, cursor: Cursor): EpochMs {
  if (seconds < FIRST_SECOND || seconds > LAST_SECOND) {
    throw new WireError(`a time lies ${seconds} seconds from 1970`, cursor.position);
  }
  return epochMs(seconds * 1_000);
}

/** A nested message. */
export const nested = (number: number, table: MessageFields): Field =>
  delimited(number, (cursor, into, name) => {
    into[name] = decodeNested(table, cursor, into[name] as Raw | undefined);
  });

/** A message whose fields are fields of the outer one in JSON (an embedded struct in Go). */
export const inline = (number: number, table: MessageFields): Field =>
  delimited(number, (cursor, into) => {
    decodeNested(table, cursor, into);
  });

const append = (into: Raw, name: string, value: unknown): void => {
  const list = into[name];
  if (Array.isArray(list)) {
    list.push(value);
  } else {
    into[name] = [value];
  }
};

/** Skips the values of a list beyond its limit: a hostile list has many thousands. */
const bounded =
  (most: number, decode: Decode): Decode =>
  (cursor, into, name) => {
    const known = into[name];
    if (Array.isArray(known) && known.length >= most) {
      cursor.position = readLength(cursor);
    } else {
      decode(cursor, into, name);
    }
  };

/**
 * @param most number of values after which the rest is skipped.
 * @param counts whether a value is used; others are left out.
 */
export const listField = (
  number: number,
  table: MessageFields,
  most = Number.POSITIVE_INFINITY,
  counts: (item: Raw) => boolean = () => true,
): Field =>
  delimited(
    number,
    bounded(most, (cursor, into, name) => {
      const item = decodeNested(table, cursor);
      if (counts(item)) {
        append(into, name, item);
      }
    }),
  );

/** @param most number of values after which the rest is skipped. */
export const textList = (number: number, most = Number.POSITIVE_INFINITY): Field =>
  delimited(
    number,
    bounded(most, (cursor, into, name) => append(into, name, readText(cursor))),
  );

/** Kubernetes' `Quantity`: a message with its text in field 1, a string in JSON. */
const QUANTITY = message({ string: givenText(1) });

const ENTRY_KEY = 1;
const ENTRY_VALUE = 2;

function mapOf(
  number: number,
  readValue: (cursor: Cursor) => unknown,
  empty: unknown,
  most = Number.POSITIVE_INFINITY,
): Field {
  function readEntry(cursor: Cursor, into: Raw): void {
    const outer = cursor.end;
    cursor.end = readLength(cursor);
    let key = '';
    let value = empty;
    while (cursor.position < cursor.end) {
      const tag = readVarint(cursor);
      if (tag === ((ENTRY_KEY << 3) | DELIMITED)) {
        key = readText(cursor);
      } else if (tag === ((ENTRY_VALUE << 3) | DELIMITED)) {
        value = readValue(cursor);
      } else {
        skip(cursor, tag & 7);
      }
    }
    cursor.end = outer;
    setKey(into, key, value);
  }
  // The API server writes the entries of a map one after the other.
  return delimited(number, (cursor, into, name) => {
    const map = (into[name] ??= {}) as Raw;
    readEntry(cursor, map);
    for (let count = 1; passTag(cursor, (number << 3) | DELIMITED); count += 1) {
      if (count < most) {
        readEntry(cursor, map);
      } else {
        cursor.position = readLength(cursor);
      }
    }
  });
}

/** Skips the tag at the cursor if it is the given tag. */
function passTag(cursor: Cursor, tag: number): boolean {
  const before = cursor.position;
  if (before < cursor.end && readVarint(cursor) === tag) {
    return true;
  }
  cursor.position = before;
  return false;
}

/** @param most number of consecutive entries after which the rest is skipped. */
export const textMap = (number: number, most = Number.POSITIVE_INFINITY): Field => mapOf(number, readText, '', most);

export const timeMap = (number: number): Field => mapOf(number, readTime, null);

export const quantityMap = (number: number): Field =>
  mapOf(number, (cursor) => decodeNested(QUANTITY, cursor)['string'] ?? '0', '0');
