/**
 * What a record has under a name that comes from outside: of a node, a group, an instance. Names such as `constructor` are
 * allowed there, and every plain object answers to them with what it inherits; this does not.
 */
export const valueOf = <K extends string, T>(record: Readonly<Record<K, T>>, name: K): T | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined;
