import type { Resources } from '../values/resources.ts';

/** Numbers the resource names of one snapshot, so that amounts are vectors. CPU is 0, memory 1, pods 2. */
export class ResourceTable {
  readonly names: string[] = ['cpu', 'memory', 'pods'];
  readonly #index = new Map<string, number>(this.names.map((name, index) => [name, index]));
  readonly #vectors = new Map<Resources, number[]>();

  indexOf(name: string): number {
    let index = this.#index.get(name);
    if (index === undefined) {
      index = this.names.push(name) - 1;
      this.#index.set(name, index);
    }
    return index;
  }

  /** A vector of its own for each call. Nodes of one template share their amounts: these are looked up once. */
  vector(amounts: Resources): number[] {
    let vector = this.#vectors.get(amounts);
    if (vector === undefined) {
      for (const name in amounts) {
        this.indexOf(name);
      }
      // Halves first: an array that ever held a fraction stores plain doubles, in a third of what a small typed array takes.
      vector = this.names.map(() => 0.5).fill(0);
      for (const name in amounts) {
        vector[this.indexOf(name)] = amounts[name]!;
      }
      this.#vectors.set(amounts, vector);
    }
    return vector.slice();
  }
}

export const CPU_INDEX = 0;
export const MEMORY_INDEX = 1;
export const PODS_INDEX = 2;
