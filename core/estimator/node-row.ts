import type { PodKind } from '../model/snapshot/pod-kind.ts';
import { CPU, MEMORY } from '../model/values/resources.ts';
import type { NodeInfo } from '../model/snapshot/snapshot.ts';
import { CPU_INDEX, MEMORY_INDEX, PODS_INDEX } from '../model/snapshot/resource-table.ts';

/**
 * Nodes in first-fit order. A tree of the most CPU, memory and pod places that any node below has free finds the next
 * node with enough of each, and passes full stretches by at once.
 */
export class NodeRow {
  readonly #nodes: NodeInfo[];
  /** A power of two: the leaves of the tree. */
  #capacity = 16;
  /** Three figures for each tree node; the root is 1, the children of n are 2n and 2n + 1. */
  #free: Float64Array;

  constructor(nodes: readonly (NodeInfo | null)[] = []) {
    this.#nodes = nodes.filter((info) => info !== null);
    while (this.#capacity < this.#nodes.length) {
      this.#capacity *= 2;
    }
    this.#free = emptyTree(this.#capacity);
    for (const [position, info] of this.#nodes.entries()) {
      this.#setLeaf(position, info.free);
    }
    this.#updateAll();
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
    this.#set(position, this.#nodes[position]!.free);
  }

  /** Passes the node at this position by, until it is said to have changed. */
  close(position: number): void {
    this.#set(position, NOTHING);
  }

  #set(position: number, free: readonly number[]): void {
    this.#setLeaf(position, free);
    let n = (this.#capacity + position) >> 1;
    while (n >= 1 && this.#update(n)) {
      n >>= 1;
    }
  }

  #setLeaf(position: number, free: readonly number[]): void {
    const tree = this.#free;
    const at = (this.#capacity + position) * 3;
    tree[at] = free[CPU_INDEX]!;
    tree[at + 1] = free[MEMORY_INDEX]!;
    tree[at + 2] = free[PODS_INDEX]!;
  }

  #updateAll(): void {
    for (let n = this.#capacity - 1; n >= 1; n--) {
      this.#update(n);
    }
  }

  /** The most of both children; `false` when the value is unchanged. */
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

  /** The first position from `from` on with this CPU, memory and number of places for pods free; -1 if there is none. */
  next(from: number, cpu: number, memory: number, pods = 1): number {
    if (from >= this.#nodes.length) {
      return -1;
    }
    const tree = this.#free;
    // From the leaf on, depth first: the subtree of a tree node is skipped if its figures show that nothing fits.
    let n = this.#capacity + from;
    while (n > 0) {
      const at = n * 3;
      if (tree[at]! >= cpu && tree[at + 1]! >= memory && tree[at + 2]! >= pods) {
        if (n >= this.#capacity) {
          return n - this.#capacity;
        }
        n *= 2;
      } else {
        // Up past all right children; above the root is 0.
        while (n % 2 === 1) {
          n >>= 1;
        }
        n += n > 0 ? 1 : 0;
      }
    }
    return -1;
  }

  /** The nodes with enough CPU and memory free, and a place. Those that come next may change meanwhile. */
  *withRoomFor({ requests }: PodKind): Iterable<NodeInfo> {
    const cpu = requests[CPU] ?? 0;
    const memory = requests[MEMORY] ?? 0;
    for (let i = this.next(0, cpu, memory); i >= 0; i = this.next(i + 1, cpu, memory)) {
      yield this.at(i);
    }
  }

  #grow(): void {
    const leaves = this.#free.subarray(this.#capacity * 3);
    this.#capacity *= 2;
    this.#free = emptyTree(this.#capacity);
    this.#free.set(leaves, this.#capacity * 3);
    this.#updateAll();
  }
}

/** Less than any node has free, by resource index. */
const NOTHING = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];

const emptyTree = (capacity: number): Float64Array => new Float64Array(capacity * 2 * 3).fill(Number.NEGATIVE_INFINITY);
