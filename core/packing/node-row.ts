import type { NodeInfo } from '../model/snapshot/snapshot.ts';
import { CPU_INDEX, MEMORY_INDEX, PODS_INDEX } from '../model/snapshot/resource-table.ts';

/**
 * Nodes in first-fit order. A tree of the most CPU, memory and pod places that any node below has free finds the next
 * node with enough of each, and passes full stretches by at once.
 */
export class NodeRow {
  readonly #nodes: NodeInfo[] = [];
  /** A power of two: the leaves of the tree. */
  #capacity = 16;
  /** Three figures for each tree node; the root is 1, the children of n are 2n and 2n + 1. */
  #free = new Float64Array(this.#capacity * 2 * 3).fill(Number.NEGATIVE_INFINITY);

  constructor(nodes: readonly (NodeInfo | null)[] = []) {
    for (const info of nodes) {
      if (info !== null) {
        this.add(info);
      }
    }
  }

  get length(): number {
    return this.#nodes.length;
  }

  get nodes(): readonly NodeInfo[] {
    return this.#nodes;
  }

  at(position: number): NodeInfo {
    return this.#nodes[position]!;
  }

  add(info: NodeInfo): void {
    if (this.#nodes.length === this.#capacity) {
      this.#grow();
    }
    this.#nodes.push(info);
    this.changed(this.#nodes.length - 1);
  }

  /** Must be called after pods came to the node at this position, or left it. */
  changed(position: number): void {
    const { free } = this.#nodes[position]!;
    this.#set(position, free[CPU_INDEX]!, free[MEMORY_INDEX]!, free[PODS_INDEX]!);
  }

  /** Passes the node at this position by, until it is said to have changed. */
  close(position: number): void {
    this.#set(position, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY);
  }

  #set(position: number, cpu: number, memory: number, pods: number): void {
    const tree = this.#free;
    const at = (this.#capacity + position) * 3;
    tree[at] = cpu;
    tree[at + 1] = memory;
    tree[at + 2] = pods;
    let n = (this.#capacity + position) >> 1;
    while (n >= 1 && this.#update(n)) {
      n >>= 1;
    }
  }

  /** The most of both children; `false` when that is what it was. */
  #update(n: number): boolean {
    const tree = this.#free;
    const at = n * 3;
    const left = n * 6;
    const cpu = Math.max(tree[left]!, tree[left + 3]!);
    const memory = Math.max(tree[left + 1]!, tree[left + 4]!);
    const pods = Math.max(tree[left + 2]!, tree[left + 5]!);
    if (tree[at] === cpu && tree[at + 1] === memory && tree[at + 2] === pods) {
      return false;
    }
    tree[at] = cpu;
    tree[at + 1] = memory;
    tree[at + 2] = pods;
    return true;
  }

  /** The first position from `from` on with so much CPU and memory and a place for a pod free; -1 if there is none. */
  next(from: number, cpu: number, memory: number): number {
    return from >= this.#nodes.length ? -1 : this.#find(1, 0, this.#capacity, from, cpu, memory);
  }

  #find(n: number, start: number, width: number, from: number, cpu: number, memory: number): number {
    const tree = this.#free;
    if (start + width <= from || tree[n * 3]! < cpu || tree[n * 3 + 1]! < memory || tree[n * 3 + 2]! < 1) {
      return -1;
    }
    if (width === 1) {
      return start;
    }
    const half = width >> 1;
    const left = this.#find(n * 2, start, half, from, cpu, memory);
    return left >= 0 ? left : this.#find(n * 2 + 1, start + half, half, from, cpu, memory);
  }

  #grow(): void {
    const leaves = this.#free.subarray(this.#capacity * 3);
    this.#capacity *= 2;
    this.#free = new Float64Array(this.#capacity * 2 * 3).fill(Number.NEGATIVE_INFINITY);
    this.#free.set(leaves, this.#capacity * 3);
    for (let n = this.#capacity - 1; n >= 1; n--) {
      this.#update(n);
    }
  }
}
