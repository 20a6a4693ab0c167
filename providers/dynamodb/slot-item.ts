import { required } from '@outrigger/core/model/values/existing.ts';
import * as z from 'zod';
import { messageOf } from '@outrigger/core/model/values/error-message.ts';
import { byName } from '@outrigger/core/model/values/names.ts';
import type { Item } from './access.ts';
import { storedDocumentSchema, readStoredDocument } from '../compressed/document.ts';
import { rowKindOf, type RowKind, slotOf } from './keys.ts';
import { inCurrentFormat } from './migrations.ts';
import { findings, type Problem } from './quarantine.ts';
import { type StateRow, type Rows, rowSchemas, type RowsByKind } from './rows.ts';

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
  const current = inCurrentFormat('slot', raw);
  if (!current.ok) {
    return nothing(current.error.reason, current.error.kind === 'newer');
  }
  const envelope = item.safeParse(current.value);
  if (!envelope.success) {
    return nothing(findings(envelope.error));
  }
  let text: string;
  let content: unknown;
  try {
    text = await readStoredDocument(envelope.data.document);
    content = JSON.parse(text);
  } catch (error) {
    return nothing(`document: ${messageOf(error)}`);
  }
  const named = rowsByName.safeParse(content);
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
  const asStored = problems.length === 0 && current.value === raw;
  return { sk, kind, rows, text: asStored ? text : null, problems, newer: false };
}

/** The documents of the slots with these rows, by sort key. Equal rows are equal texts. */
export function slotTexts(rows: RowsByKind): ReadonlyMap<string, string> {
  const slots = new Map<string, [name: string, row: StateRow][]>();
  for (const [kind, named] of Object.entries(rows) as [RowKind, Rows][]) {
    for (const entry of named) {
      const sk = slotOf(kind, entry[0]);
      const slot = slots.get(sk);
      if (slot === undefined) {
        slots.set(sk, [entry]);
      } else {
        slot.push(entry);
      }
    }
  }
  return new Map([...slots].map(([sk, held]) => [sk, canonicalJson(Object.fromEntries(held))]));
}

/** JSON with the keys of all objects sorted: a document that was read is written as the same text. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => byName(a, b)))
      : inner,
  );
