/**
 * Do pods of these sizes fit on nodes with this much room? Exact for sizes that divide each other: the largest first,
 * each wherever there is room for it, takes from no other what that one could have used.
 *
 * @param sizes units of each pod.
 * @param free units left on each node.
 */
export function fits(sizes: readonly number[], free: readonly number[]): boolean {
  const room = [...free];
  return sizes
    .toSorted((a, b) => b - a)
    .every((size) => {
      const node = room.findIndex((left) => left >= size);
      if (node >= 0) {
        room[node]! -= size;
      }
      return node >= 0;
    });
}
