/**
 * A copy of the object whose field throws when it is read.
 *
 * @param enumerable whether copying the object throws, too
 */
export const throwingAt = <T extends object>(object: T, field: keyof T, enumerable = true): T =>
  Object.defineProperty({ ...object }, field, {
    enumerable,
    get: () => {
      throw new TypeError(`${String(field)} is poison`);
    },
  });

/** A list that reads like any other, but throws when it is searched. */
export const unsearchable = <T>(items: readonly T[]): readonly T[] =>
  Object.defineProperty([...items], 'some', {
    value: () => {
      throw new RangeError('this list is poison');
    },
  });

/** Texts by key of which one throws when it is asked for by name. */
export const throwingFor = (key: string): Readonly<Record<string, string>> =>
  new Proxy(
    {},
    {
      get: (_, name) => {
        if (name === key) {
          throw new RangeError(`${key} is poison`);
        }
        return undefined;
      },
    },
  );
