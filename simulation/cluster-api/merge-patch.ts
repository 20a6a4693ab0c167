/** Applies a JSON merge patch (RFC 7396): objects are merged, `null` removes a field, anything else replaces it. */
export function withMergePatch(target: object, patch: Readonly<Record<string, unknown>>): object {
  const result: Record<string, unknown> = { ...target };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) {
      delete result[key];
    } else if (isObject(value)) {
      const before = result[key];
      result[key] = withMergePatch(isObject(before) ? before : {}, value);
    } else {
      result[key] = value;
    }
  }
  return result;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
