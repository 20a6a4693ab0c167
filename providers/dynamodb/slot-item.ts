import { required } from '@outrigger/core/model/values/existing.ts';
import * as z from 'zod';
import type { Item } from './access.ts';
import { storedDocumentSchema } from '../compressed/document.ts';
import { rowKindOf, type RowKind, slotOf } from './keys.ts';
import { FORMATS } from './migrations.ts';
import { findings, type Problem } from './quarantine.ts';
import { type StateRow, type Rows, rowSchemas, type RowsByKind } from './rows.ts';
import { readContent, readItem } from './stored-item.ts';
import { getOrMake } from '@outrigger/core/model/values/get-or-make.ts';
import { sortedRecord } from '@outrigger/core/model/values/sorted.ts';

/** An item with a sort key `GROUP#…`, `NODE#…`: the rows of some groups, of some nodes. */
export interface StoredSlot {
  readonly sk: string;
  readonly kind: RowKind;
  readonly rows: Rows;
  /** The stored document; `null` where it must be rewritten even if the rows do not change. */
  readonly text: string | null;
  readonly problems: readonly Problem[];
  /** Written by a newer version: it must not be overwritten. */
  readonly newer: boolean;
}

const item = z.object({ document: storedDocumentSchema });
/** Not `z.record`, which drops the key `__proto__`, a possible name of a group. */
const rowsByName = z.custom<object>((value) => typeof value === 'object' && value !== null && !Array.isArray(value), {
  error: 'expected a row for each name',
});

/** Reads a slot; an unreadable row is dropped, the rest is kept. */
export async function readSlotItem(raw: Item): Promise<StoredSlot> {
  const sk = String(raw['sk']);
  const kind = required(rowKindOf(sk), sk);
  const nothing = (reason: string, newer = false): StoredSlot => ({
    sk,
    kind,
    rows: new Map(),
    text: null,
    problems: [{ place: '', reason }],
    newer,
  });
  const envelope = readItem('slot', item, raw);
  if (!envelope.ok) {
    return nothing(envelope.error.reason, envelope.error.kind === 'newer');
  }
  const read = await readContent(envelope.value.document);
  if (!read.ok) {
    return nothing(read.error);
  }
  const named = rowsByName.safeParse(read.value.content);
  if (!named.success) {
    return nothing(`document: ${findings(named.error)}`);
  }
  const rows = new Map<string, StateRow>();
  const problems: Problem[] = [];
  for (const [name, stored] of Object.entries(named.data) as [string, unknown][]) {
    const row = rowSchemas[kind].safeParse(stored);
    if (row.success) {
      rows.set(name, row.data);
    } else {
      problems.push({ place: `document.${name}`, reason: findings(row.error) });
    }
  }
  const asStored = problems.length === 0 && raw['schema'] === FORMATS.slot;
  return { sk, kind, rows, text: asStored ? read.value.text : null, problems, newer: false };
}

/** The documents of the slots with these rows, by sort key. Equal rows are equal texts. */
export function slotTexts(rows: RowsByKind): ReadonlyMap<string, string> {
  const slots = new Map<string, [name: string, row: StateRow][]>();
  for (const [kind, named] of Object.entries(rows) as [RowKind, Rows][]) {
    for (const entry of named) {
      getOrMake(slots, slotOf(kind, entry[0]), () => []).push(entry);
    }
  }
  return new Map([...slots].map(([sk, held]) => [sk, canonicalJson(Object.fromEntries(held))]));
}

/** JSON with the keys of all objects sorted: a document that was read is written as the same text. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? sortedRecord(Object.entries(inner)) : inner,
  );
