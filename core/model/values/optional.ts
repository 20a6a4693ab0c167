/** A function of a value that may be missing: null and undefined stay as they are. Costs a call, so not in a hot loop. */
export function mapOptional<V, U>(
  value: V,
  of: (value: NonNullable<V>) => U,
): U | Extract<V, null> | Extract<V, undefined> {
  if (value === null || value === undefined) {
    return value as Extract<V, null> | Extract<V, undefined>;
  }
  return of(value);
}

/** The value of a map under a key that may be missing. */
export function getOptional<K, V>(map: ReadonlyMap<K, V>, key: K | null | undefined): V | undefined {
  if (key === null || key === undefined) {
    return undefined;
  }
  return map.get(key);
}

/** The items of a list that there are: `null`, `undefined` and `false` stand for no item. */
export const presentItems = <T>(items: readonly (T | false | null | undefined)[]): readonly T[] =>
  items.filter((item): item is T => item !== null && item !== undefined && item !== false);

/** A part of a text that is there on a condition only. */
export const textIf = (applies: boolean, text: string): string => (applies ? text : '');

/** Items that are there on a condition only. */
export const itemsIf = <T>(applies: boolean, items: readonly T[]): readonly T[] => (applies ? items : []);
