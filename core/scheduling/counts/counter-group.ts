import type { Counter } from './counters.ts';

/** Counters that are listed one by one. Few kinds of pods have more; each takes 8 bytes. */
const MOST_LISTED = 64;
const BITS = 32;

/**
 * Counters of a table that count together. Thousands of kinds of pods may be matched by the same thousands of terms, so that all
 * counters beyond the first few take one bit each: 4,500 counters of 1,900 kinds took 101 MB as lists.
 */
export class CounterGroup implements Counter {
  /** All counters of the table. */
  readonly #all: readonly Counter[];
  readonly #listed: Counter[] = [];
  /** A bit for each counter of the table. */
  #bits: Uint32Array | null = null;

  constructor(all: readonly Counter[]) {
    this.#all = all;
  }

  /** @param index of the counter in the table. A counter that is included twice counts twice. */
  include(index: number): void {
    const word = Math.floor(index / BITS);
    const bit = 1 << (index % BITS);
    if (this.#listed.length < MOST_LISTED || ((this.#bits?.[word] ?? 0) & bit) !== 0) {
      this.#listed.push(this.#all[index]!);
      return;
    }
    const bits = grown(this.#bits, word);
    bits[word]! |= bit;
    this.#bits = bits;
  }

  add(nodeIndex: number, count: number): void {
    for (let i = 0; i < this.#listed.length; i++) {
      this.#listed[i]!.add(nodeIndex, count);
    }
    if (this.#bits === null) {
      return;
    }
    for (let word = 0; word < this.#bits.length; word++) {
      for (let rest = this.#bits[word]!; rest !== 0; rest &= rest - 1) {
        this.#all[word * BITS + (BITS - 1 - Math.clz32(rest & -rest))]!.add(nodeIndex, count);
      }
    }
  }
}

/** With this word, and half as many words again. */
function grown(bits: Uint32Array | null, word: number): Uint32Array {
  if (bits !== null && word < bits.length) {
    return bits;
  }
  const larger = new Uint32Array(Math.ceil((word + 1) * 1.5));
  larger.set(bits ?? []);
  return larger;
}
