/** Writes the protobuf wire format, as far as tests need it. Field numbers are the caller's. */

export type Value = string | number | bigint | boolean | Uint8Array;

/** A field number and its value. A list is the same field several times over. */
export type FieldValue = readonly [number: number, value: Value];

function varint(value: number | bigint): Buffer {
  let rest = BigInt.asUintN(64, BigInt(value));
  const bytes: number[] = [];
  do {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    bytes.push(rest === 0n ? low : low | 0x80);
  } while (rest > 0n);
  return Buffer.from(bytes);
}

/** A message of these fields, in this order. */
export function message(...fields: readonly FieldValue[]): Buffer {
  return Buffer.concat(
    fields.flatMap(([number, value]) => {
      if (typeof value === 'bigint') {
        return [varint(number << 3), varint(value)];
      }
      if (typeof value === 'number' || typeof value === 'boolean') {
        return [varint(number << 3), varint(Number(value))];
      }
      const bytes = Buffer.from(value as string);
      return [varint((number << 3) | 2), varint(bytes.length), bytes];
    }),
  );
}

/** A `map<string, …>` in its field: keys sorted, as Go's encoder does. */
export const map = (number: number, entries: Readonly<Record<string, string | Uint8Array>>): readonly FieldValue[] =>
  Object.keys(entries)
    .toSorted()
    .map((key) => [number, message([1, key], [2, entries[key]!])]);

export const list = <T>(number: number, items: readonly T[], encode: (item: T) => Value): readonly FieldValue[] =>
  items.map((item) => [number, encode(item)]);

export const quantity = (text: string): Buffer => message([1, text]);

export const quantities = (number: number, amounts: Readonly<Record<string, string>>): readonly FieldValue[] =>
  map(number, Object.fromEntries(Object.entries(amounts).map(([name, text]) => [name, quantity(text)])));

/** A `metav1.Time`. */
export const time = (text: string): Buffer => message([1, Date.parse(text) / 1_000], [2, 0]);

/** Message of an API server: magic, and the object inside a `runtime.Unknown`. */
export const envelope = (apiVersion: string, kind: string, object: Uint8Array): Buffer =>
  Buffer.concat([
    Buffer.from('k8s\0', 'latin1'),
    message([1, message([1, apiVersion], [2, kind])], [2, object], [3, ''], [4, '']),
  ]);

/** A list of encoded objects. */
export const listOf = (
  apiVersion: string,
  kind: string,
  items: readonly Uint8Array[],
  continueToken = '',
  resourceVersion = '12345',
): Buffer =>
  envelope(
    apiVersion,
    `${kind}List`,
    message([1, message([1, ''], [2, resourceVersion], [3, continueToken])], ...list(2, items, (item) => item)),
  );
