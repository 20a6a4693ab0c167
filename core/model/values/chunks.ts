/** The list in parts of `size` items, in order; the last part may have fewer. With `Infinity` all is one part. */
export function chunksOf<T>(list: readonly T[], size: number): readonly (readonly T[])[] {
  const most = Math.min(size, list.length);
  return Array.from({ length: Math.ceil(list.length / most) }, (_, i) => list.slice(i * most, (i + 1) * most));
}
