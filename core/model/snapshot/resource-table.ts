import type { Resources } from '../resources.ts';

/** Numbers the resource names of one snapshot, so that amounts are vectors. CPU is 0, memory 1, pods 2. */
export class ResourceTable {
  readonly names: string[] = ['cpu', 'memory', 'pods'];
  readonly #index = new Map<string, number>(this.names.map((name, index) => [name, index]));

  indexOf(name: string): number {
    let index = this.#index.get(name);
    if (index === undefined) {
      index = this.names.push(name) - 1;
      this.#index.set(name, index);
    }
    return index;
  }

  vector(amounts: Resources): Float64Array {
    for (const name in amounts) {
      this.indexOf(name);
    }
    const vector = new Float64Array(this.names.length);
    for (const name in amounts) {
      vector[this.indexOf(name)] = amounts[name]!;
    }
    return vector;
  }
}

export const CPU_INDEX = 0;
export const MEMORY_INDEX = 1;
export const PODS_INDEX = 2;
