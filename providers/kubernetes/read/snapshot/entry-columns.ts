import { type ListEntry, entryKey } from '../view/entries.ts';
import type { ObservedObject } from '../observed.ts';

/*
 * Entries as JSON in columns. Objects and arrays that are equal (specs, labels, owner references of pods of one controller) are
 * written once, in `shared`, and are one object when they are read. So 150 000 pods have 29 MB instead of 200, of which JSON.parse
 * reads as much in a third of a second; `v8.deserialize` takes twice as long for its 63 MB (docs/decisions/0031-lists-that-are-kept.md).
 */

/** Consecutive items with the same fields. In a column, `[n]` is the nth shared value, and anything else is the value. */
interface Columns {
  readonly fields: readonly string[];
  readonly length: number;
  readonly columns: readonly (readonly unknown[])[];
}

/** An object that could not be read in full, or at all, with its key. */
interface Whole {
  readonly whole: ListEntry;
}

/** @returns JSON text */
export function writeEntries(entries: readonly ListEntry[]): string {
  const shared: string[] = [];
  const byText = new Map<string, number>();
  const byIdentity = new Map<object, number>();
  const numberOf = (value: object): number => {
    const known = byIdentity.get(value);
    if (known !== undefined) {
      return known;
    }
    const text = JSON.stringify(value);
    const number = byText.get(text) ?? shared.push(text) - 1;
    byText.set(text, number);
    byIdentity.set(value, number);
    return number;
  };
  const cell = (value: unknown): unknown => (typeof value === 'object' && value !== null ? [numberOf(value)] : value);
  const blocks = blocksOf(entries).map((block) =>
    JSON.stringify(
      'whole' in block
        ? block
        : {
            fields: block.fields,
            length: block.items.length,
            columns: block.fields.map((field) => block.items.map((item) => cell(item[field]))),
          },
    ),
  );
  return `{"blocks":[${blocks.join(',')}],"shared":[${shared.join(',')}]}`;
}

type Item = Readonly<Record<string, unknown>>;

interface Block {
  readonly fields: readonly string[];
  readonly items: Item[];
}

function blocksOf(entries: readonly ListEntry[]): readonly (Block | Whole)[] {
  const blocks: (Block | Whole)[] = [];
  let open: Block | null = null;
  for (const entry of entries) {
    if (entry.item === null || entry.rejected.length > 0) {
      blocks.push({ whole: entry });
      open = null;
      continue;
    }
    const item = entry.item as unknown as Item;
    if (open === null || !hasFields(item, open.fields)) {
      open = { fields: Object.keys(item), items: [] };
      blocks.push(open);
    }
    open.items.push(item);
  }
  return blocks;
}

function hasFields(item: Item, fields: readonly string[]): boolean {
  let count = 0;
  for (const field in item) {
    if (field !== fields[count]) {
      return false;
    }
    count += 1;
  }
  return count === fields.length;
}

/**
 * Reads what `writeEntries` has written.
 *
 * @throws Error where the text has another form
 */
export function readEntries(text: string): readonly ListEntry[] {
  const { blocks, shared } = JSON.parse(text) as {
    readonly blocks: readonly (Columns | Whole)[];
    readonly shared: readonly unknown[];
  };
  const entries: ListEntry[] = [];
  for (const block of blocks) {
    if ('whole' in block) {
      entries.push(block.whole);
    } else {
      readColumns(block, shared, entries);
    }
  }
  return entries;
}

/** A name of a field of an object that is read. `__proto__` is none: setting it would set something else. */
const FIELD = /^[a-zA-Z]\w*$/;

const NOTHING_REJECTED: ListEntry['rejected'] = Object.freeze([]);

function readColumns({ fields, length, columns }: Columns, shared: readonly unknown[], entries: ListEntry[]): void {
  if (fields.length !== columns.length || !fields.every((field) => FIELD.test(field))) {
    throw new Error(`expected columns for ${fields.join(', ')}`);
  }
  if (columns.some((column) => column.length !== length)) {
    throw new Error(`expected ${length} values in each column`);
  }
  for (let at = 0; at < length; at += 1) {
    const item: Record<string, unknown> = {};
    for (let column = 0; column < fields.length; column += 1) {
      const value = columns[column]![at];
      item[fields[column]!] = Array.isArray(value) ? sharedAt(shared, value[0]) : value;
    }
    const observed = item as unknown as ObservedObject;
    entries.push({ key: entryKey(observed), item: observed, rejected: NOTHING_REJECTED });
  }
}

function sharedAt(shared: readonly unknown[], number: unknown): unknown {
  const value = typeof number === 'number' ? shared[number] : undefined;
  if (value === undefined) {
    throw new Error(`expected a shared value, found none with the number ${String(number)}`);
  }
  return value;
}
