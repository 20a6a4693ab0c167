import { messageOf } from '@outrigger/core/model/values/error-message.ts';
import { err, ok, type Result } from '@outrigger/core/model/values/result.ts';
import type * as z from 'zod';
import { type Document, readStoredDocument } from '../compressed/document.ts';
import type { Item } from './access.ts';
import { inCurrentFormat, type ItemKind, type Misfit } from './migrations.ts';
import { findings, type UnreadableItem } from './quarantine.ts';

/** The attributes of an item in this version's format. */
export function readItem<T>(kind: ItemKind, schema: z.ZodType<T>, raw: Item): Result<T, Misfit> {
  const current = inCurrentFormat(kind, raw);
  if (!current.ok) {
    return current;
  }
  const { data, error } = schema.safeParse(current.value);
  return error === undefined ? ok(data) : err({ kind: 'broken', reason: findings(error) });
}

/** The text of an item's document, and what it says as JSON. */
export async function readContent(
  document: Document,
): Promise<Result<{ readonly text: string; readonly content: unknown }, string>> {
  try {
    const text = await readStoredDocument(document);
    return ok({ text, content: JSON.parse(text) });
  } catch (error) {
    return err(`document: ${messageOf(error)}`);
  }
}

/** The values of one attribute of items, and the items where it cannot be read. */
export function readAttribute<T>(
  items: readonly Item[],
  place: string,
  schema: z.ZodType<T>,
): { readonly values: readonly T[]; readonly unreadable: readonly UnreadableItem[] } {
  const values: T[] = [];
  const unreadable: UnreadableItem[] = [];
  for (const item of items) {
    const { data, error } = schema.safeParse(item[place]);
    if (error === undefined) {
      values.push(data);
    } else {
      unreadable.push({ sk: String(item['sk']), problems: [{ place, reason: findings(error) }] });
    }
  }
  return { values, unreadable };
}
