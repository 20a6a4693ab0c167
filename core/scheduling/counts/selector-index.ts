import { getOrMake } from '../../model/values/get-or-make.ts';
import type { Labels } from '../../model/cluster/selectors.ts';
import type { RequiredLabel } from '../label-selector.ts';

interface Entry<T> {
  readonly number: number;
  readonly item: T;
}

interface LabelEntries<T> {
  readonly anyValue: Entry<T>[];
  readonly byValue: Map<string | undefined, Entry<T>[]>;
}

/** A longer list of values is not indexed: each of them is an entry. */
const MOST_VALUES = 16;

/**
 * Items that select pods, found by the labels of a pod. An item that requires a label costs nothing for pods without it, so that the
 * work does not grow with the product of items and kinds of pods.
 */
export class SelectorIndex<T> {
  /** Number of items. */
  size = 0;
  readonly #unlabeled: Entry<T>[] = [];
  readonly #labeled = new Map<string, LabelEntries<T>>();

  /** @param required a label of all pods that the item selects; `null` where there is none. */
  add(required: RequiredLabel | null, item: T): void {
    const entry = { number: this.size, item };
    this.size += 1;
    if (required === null) {
      this.#unlabeled.push(entry);
      return;
    }
    const { key, values } = required;
    const entries = getOrMake(this.#labeled, key, (): LabelEntries<T> => ({ anyValue: [], byValue: new Map() }));
    if (values === null || values.length > MOST_VALUES) {
      entries.anyValue.push(entry);
      return;
    }
    for (const value of new Set(values)) {
      getOrMake(entries.byValue, value, (): Entry<T>[] => []).push(entry);
    }
  }

  /**
   * Calls once for each item that may select pods with these labels; no other item selects them.
   *
   * @param from the number of items to skip, in the order in which they were added.
   */
  eachFor(labels: Labels, from: number, call: (item: T) => void): void {
    callSince(this.#unlabeled, from, call);
    if (this.#labeled.size === 0) {
      return;
    }
    for (const key in labels) {
      const entries = this.#labeled.get(key);
      if (entries !== undefined) {
        callSince(entries.anyValue, from, call);
        callSince(entries.byValue.get(labels[key]) ?? [], from, call);
      }
    }
  }
}

function callSince<T>(entries: readonly Entry<T>[], from: number, call: (item: T) => void): void {
  for (let i = entries.length - 1; i >= 0 && entries[i]!.number >= from; i--) {
    call(entries[i]!.item);
  }
}
