/**
 * A deeply frozen copy.
 *
 * @param value what a store holds: plain objects, arrays and primitive values, as in JSON.
 */
export function frozenCopy<T>(value: T): T {
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  return Object.freeze(Array.isArray(value) ? value.map(frozenCopy) : copyOf(value)) as T;
}

function copyOf(value: object): object {
  const copy: Record<string, unknown> = { ...value };
  for (const key in copy) {
    const inner = copy[key];
    if (typeof inner === 'object') {
      copy[key] = frozenCopy(inner);
    }
  }
  return copy;
}
