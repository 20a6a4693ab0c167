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
  for (const name in b) {
    if (Object.hasOwn(b, name)) {
      left += 1;
    }
  }
  for (const name in a) {
    if (!Object.hasOwn(b, name) || !isSameContent(a[name as never], b[name as never])) {
      return false;
    }
    left -= 1;
  }
  return left === 0;
}
