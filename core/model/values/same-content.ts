/**
 * Are two values of plain objects, lists and primitive values the same, whatever the order of their fields? Ends with the
 * first difference, and copies nothing.
 */
export function isSameContent(a: unknown, b: unknown): boolean {
  if (a === b) {
    return true;
  }
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) {
    return false;
  }
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((one, i) => isSameContent(one, (b as unknown[])[i]))
    );
  }
  let left = 0;
  for (const _ in b) {
    left += 1;
  }
  for (const name in a) {
    const one: unknown = a[name as never];
    const other: unknown = b[name as never];
    // Most fields are the very same value: what is not `undefined` is then in both.
    if ((one !== other || one === undefined) && !(Object.hasOwn(b, name) && isSameContent(one, other))) {
      return false;
    }
    left -= 1;
  }
  return left === 0;
}
