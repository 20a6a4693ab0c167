import { err, ok, type Result } from '../../core/model/values/result.ts';
import type { Item } from './access.ts';

/** Formats that this version writes, by kind of item. Every item says in `schema` which one it has. */
export const FORMATS = { state: 2, slot: 2, intents: 1, decision: 1 } as const;

type Kind = keyof typeof FORMATS;

/**
 * What makes an item of one format one of the next, by the format that it has. They are pure, are applied one after
 * the other when an item is read, and the result is stored when the cluster is next committed. None is ever removed:
 * a cluster that was left alone for a year goes all the way.
 */
const MIGRATIONS: { readonly [K in Kind]: Readonly<Record<number, (item: Item) => Item>> } = {
  state: {
    // Format 1 held the whole state in its document. Format 2 has what is about the cluster as a whole there, and all
    // else in slots; what a document has beyond that is still read. It named only the intents' items of its own commit.
    1: (item) => ({
      ...item,
      schema: 2,
      items: Object.fromEntries(Array.isArray(item['wrote']) ? item['wrote'].map((sk) => [String(sk), 0]) : []),
      unlistedIntents: true,
    }),
  },
  slot: {
    // Rows of format 1 call two parts `promised` and `packing`: they are renamed where a row is read.
    1: (item) => ({ ...item, schema: 2 }),
  },
  // Claims and ends change intents where they stand, on condition of this version's format: before there is another one,
  // they must learn to take both.
  intents: {},
  decision: {},
};

/** Why an item is not in this version's format. `newer`: it must be kept for whoever wrote it. */
export type Misfit = { readonly kind: 'newer' | 'broken'; readonly reason: string };

/** The item in this version's format, as far as its parts outside of `schema` are what they should be. */
export function inCurrentFormat(
  kind: Kind,
  item: Item,
  known: number = FORMATS[kind],
  migrations: Readonly<Record<number, (item: Item) => Item>> = MIGRATIONS[kind],
): Result<Item, Misfit> {
  const { schema } = item;
  if (typeof schema !== 'number' || !Number.isInteger(schema)) {
    return err({ kind: 'broken', reason: `schema: expected a whole number, found ${typeof schema}` });
  }
  if (schema > known) {
    return err({ kind: 'newer', reason: `written in format ${schema} by a newer version; this one knows ${known}` });
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
