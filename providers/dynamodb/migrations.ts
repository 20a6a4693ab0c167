import { err, ok, type Result } from '@outrigger/core/model/values/result.ts';
import type { Item } from './access.ts';

/** Formats that this version writes, by kind of item. Every item has its format in `schema`. */
export const FORMATS = { state: 3, slot: 3, intents: 1, decision: 2 } as const;

export type ItemKind = keyof typeof FORMATS;

/** To a format with other names: the readers rename the fields (`providers/schema/former-names.ts`). */
const renamed = (item: Item): Item => ({ ...item, schema: Number(item['schema']) + 1 });

/**
 * Migrations of an item to the next format, by its present format. They are pure and are applied one after the other
 * when an item is read; the next commit of the cluster stores the result. None is ever removed: a cluster that was not
 * evaluated for a year needs all of them.
 */
const MIGRATIONS: { readonly [K in ItemKind]: Readonly<Record<number, (item: Item) => Item>> } = {
  state: {
    // Format 1 had the whole state in its document. Format 2 has the parts about the whole cluster there, and all
    // others in slots; other parts in a document are still read. Format 1 listed only the intents' items of its own
    // commit.
    1: (item) => ({
      ...item,
      schema: 2,
      items: Object.fromEntries(Array.isArray(item['wrote']) ? item['wrote'].map((sk) => [String(sk), 0]) : []),
      unlistedIntents: true,
    }),
    2: renamed,
  },
  slot: { 1: renamed, 2: renamed },
  // Claims and ends update intents in place, on condition of this version's format: they must accept both formats before
  // another one is introduced.
  intents: {},
  decision: { 1: renamed },
};

/** Why an item is not in this version's format. `newer`: the item must be kept for the version that wrote it. */
export type Misfit = { readonly kind: 'newer' | 'broken'; readonly reason: string };

/** The item in this version's format, if its parts outside of `schema` are valid. */
export function inCurrentFormat(
  kind: ItemKind,
  item: Item,
  known: number = FORMATS[kind],
  migrations: Readonly<Record<number, (item: Item) => Item>> = MIGRATIONS[kind],
): Result<Item, Misfit> {
  const { schema } = item;
  if (typeof schema !== 'number' || !Number.isInteger(schema)) {
    return err({ kind: 'broken', reason: `schema: expected a whole number, found ${typeof schema}` });
  }
  if (schema > known) {
    return err({ kind: 'newer', reason: `written in format ${schema} by a newer version; this one reads ${known}` });
  }
  let migrated = item;
  for (let format = schema; format < known; format++) {
    const next = migrations[format];
    if (next === undefined) {
      return err({ kind: 'broken', reason: `schema: there is no format ${format}` });
    }
    migrated = next(migrated);
  }
  return ok(migrated);
}
