import { firstItem, getExisting, required } from '@outrigger/core/model/values/existing.ts';
import { byName } from '@outrigger/core/model/values/names.ts';
import type { State } from '@outrigger/core/model/state.ts';
import { EXPENDABLE_PARTS } from '../schema/state.ts';
import { type Document, documentSize } from '../compressed/document.ts';
import { type RowKind, slotOf } from './keys.ts';
import { leaveOut } from './leave-out.ts';
import type { OmittedPart } from './omitted-part.ts';
import type { Rows, RowsByKind } from './rows.ts';
import { canonicalJson, slotTexts } from './slot-item.ts';

/** A transaction is limited to 4 MB; beside the slots it contains the decision, which is far smaller. */
const MAX_STATE_BYTES = 3 * 1024 * 1024;
/** DynamoDB's limit of an item is 400 KB. */
const MAX_SLOT_BYTES = 390 * 1024;

interface FittingSlots {
  /** The documents of all slots, by sort key. */
  readonly texts: ReadonlyMap<string, string>;
  /** The slots that were compressed to measure them. */
  readonly documents: ReadonlyMap<string, Document>;
  readonly omitted: readonly OmittedPart[];
}

interface Share {
  readonly kind: RowKind;
  readonly name: string;
  readonly part: keyof State;
  readonly size: number;
}

/** The slots of a state, each small enough for an item and together for one transaction. */
export async function fittingSlots(rows: RowsByKind): Promise<FittingSlots> {
  const whole = slotTexts(rows);
  const raw = [...whole.values()].map((text) => Buffer.byteLength(text));
  // Most states fit before they are compressed.
  if (Math.max(0, ...raw) <= MAX_SLOT_BYTES && raw.reduce((sum, size) => sum + size, 0) <= MAX_STATE_BYTES) {
    return { texts: whole, documents: new Map(), omitted: [] };
  }
  const first = await atMostEach(rows, whole, MAX_SLOT_BYTES);
  const total = [...first.documents.values()].reduce((sum, document) => sum + documentSize(document), 0);
  if (total <= MAX_STATE_BYTES) {
    return first;
  }
  return await atMostEach(rows, whole, Math.floor(MAX_STATE_BYTES / whole.size));
}

async function atMostEach(
  rows: RowsByKind,
  whole: ReadonlyMap<string, string>,
  maxBytes: number,
): Promise<FittingSlots> {
  const shares = sharesBySlot(rows);
  const texts = new Map<string, string>();
  const documents = new Map<string, Document>();
  const omitted: Share[] = [];
  for (const [sk, text] of whole) {
    const fitting = await fit(rows, text, getExisting(shares, sk), maxBytes);
    texts.set(sk, fitting.text);
    documents.set(sk, fitting.document);
    omitted.push(...fitting.omitted);
  }
  const byPart = Map.groupBy(omitted, ({ part }) => part);
  return {
    texts,
    documents,
    omitted: EXPENDABLE_PARTS.filter((part) => byPart.has(part)).map((part) => ({
      part,
      names: getExisting(byPart, part)
        .map(({ name }) => name)
        .sort(byName),
    })),
  };
}

function sharesBySlot(rows: RowsByKind): ReadonlyMap<string, readonly Share[]> {
  const shares = (Object.entries(rows) as [RowKind, Rows][]).flatMap(([kind, named]) =>
    [...named].flatMap(([name, row]) =>
      Object.entries(row).map(([part, share]): Share => ({
        kind,
        name,
        part: part as keyof State,
        size: JSON.stringify(share).length,
      })),
    ),
  );
  return Map.groupBy(shares, ({ kind, name }) => slotOf(kind, name));
}

/** Leaves out shares, the most expendable first, and of these the largest. Without any of them the state is empty. */
async function fit(rows: RowsByKind, text: string, shares: readonly Share[], maxBytes: number) {
  const inOrder = shares.toSorted(
    (a, b) =>
      EXPENDABLE_PARTS.indexOf(a.part) - EXPENDABLE_PARTS.indexOf(b.part) || b.size - a.size || byName(a.name, b.name),
  );
  const found = await leaveOut(
    inOrder.map(({ size }) => size),
    (count) => (count === 0 ? text : textWithout(rows, inOrder.slice(0, count), shares)),
    maxBytes,
  );
  const fitting = required(found, 'a text that fits');
  return { ...fitting, omitted: inOrder.slice(0, fitting.leftOut) };
}

function textWithout(rows: RowsByKind, omitted: readonly Share[], shares: readonly Share[]): string {
  const gone = new Set(omitted.map(({ name, part }) => `${part} ${name}`));
  const names = [...new Set(shares.map(({ name }) => name))];
  const { kind } = firstItem(shares);
  const kept = names
    .map((name) => ({
      name,
      row: Object.entries(getExisting(rows[kind], name)).filter(([part]) => !gone.has(`${part} ${name}`)),
    }))
    .filter(({ row }) => row.length > 0);
  return canonicalJson(Object.fromEntries(kept.map(({ name, row }) => [name, Object.fromEntries(row)])));
}
