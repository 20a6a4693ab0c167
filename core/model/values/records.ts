/**
 * The value of a record under a name that comes from outside: of a node, a group, an instance. Names such as
 * `constructor` are allowed there, and a plain object would answer to them with an inherited value; this function does
 * not.
 */
export const valueOf = <K extends string, T>(record: Readonly<Record<K, T>>, name: K): T | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined;

/** The entries of a record, with the type of its names. */
export const entriesOf = <K extends string, T>(record: Readonly<Record<K, T>>): [K, T][] =>
  Object.entries(record) as [K, T][];
