import { controllerKeyOf, type Pod } from '../../model/pod.ts';
import type { NodeInfo } from '../../model/snapshot/snapshot.ts';

/** Controllers whose pods the scheduler spreads where the pods say nothing of it themselves. */
const SPREAD: ReadonlySet<string> = new Set(['ReplicaSet', 'StatefulSet', 'ReplicationController']);

/** The key of the controller with whose pods this one is spread; `null`: none. */
export const ownerOf = (pod: Pod): string | null =>
  pod.controller !== null && SPREAD.has(pod.controller.kind) ? controllerKeyOf(pod) : null;

/** How many pods of each controller are on each node. Whoever places a pod says so. */
export class OwnerCounts {
  /** By owner, by the node's index. */
  readonly #counts = new Map<string, Map<number, number>>();

  /** @param count negative: so many leave. */
  add(owner: string | null, { index }: NodeInfo, count: number): void {
    if (owner === null) {
      return;
    }
    let byNode = this.#counts.get(owner);
    if (byNode === undefined) {
      byNode = new Map();
      this.#counts.set(owner, byNode);
    }
    const sum = (byNode.get(index) ?? 0) + count;
    if (sum === 0) {
      byNode.delete(index);
    } else {
      byNode.set(index, sum);
    }
  }

  /** Pods by the node's index. */
  of(owner: string): ReadonlyMap<number, number> {
    return this.#counts.get(owner) ?? NONE;
  }
}

const NONE: ReadonlyMap<number, number> = new Map();
