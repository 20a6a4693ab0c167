/** Fields without those that are null or undefined. */
export type Present<T> = { readonly [K in keyof T]?: NonNullable<T[K]> };

/** Leaves out fields that are null or undefined: `{ ...present({ region, endpoint }) }`. */
export const present = <T extends object>(fields: T): Present<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null)) as Present<T>;

/** Leaves out lists without an item. */
export const nonEmpty = <T extends Readonly<Record<string, readonly unknown[]>>>(lists: T): Partial<T> =>
  Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)) as Partial<T>;
