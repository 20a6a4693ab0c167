/** A priority queue: a binary heap under the given order, which must be total for the outcome to be the same each time. */
export interface Heap<T> {
  readonly push: (item: T) => void;
  readonly peek: () => T | undefined;
  readonly pop: () => T | undefined;
}

/** @param before whether the first comes out before the second. */
export function createHeap<T>(before: (a: T, b: T) => boolean): Heap<T> {
  const items: T[] = [];

  const swap = (a: number, b: number): void => {
    [items[a], items[b]] = [items[b]!, items[a]!];
  };

  const rise = (start: number): void => {
    for (let at = start; at > 0;) {
      const parent = (at - 1) >> 1;
      if (!before(items[at]!, items[parent]!)) {
        return;
      }
      swap(at, parent);
      at = parent;
    }
  };

  const sink = (): void => {
    for (let at = 0; ;) {
      let first = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < items.length && before(items[child]!, items[first]!)) {
          first = child;
        }
      }
      if (first === at) {
        return;
      }
      swap(at, first);
      at = first;
    }
  };

  return {
    push: (item) => {
      items.push(item);
      rise(items.length - 1);
    },
    peek: () => items[0],
    pop: () => {
      const top = items[0];
      const last = items.pop();
      if (items.length > 0) {
        items[0] = last!;
        sink();
      }
      return top;
    },
  };
}
