import { mapAt } from '@outrigger/core/model/values/counts.ts';
import { controllerKeyOf, type Pod } from '@outrigger/core/model/cluster/pod.ts';
import { type ControllerKind, ownKindOf } from '@outrigger/core/model/cluster/workloads.ts';
import type { NodeInfo } from '@outrigger/core/model/snapshot/snapshot.ts';

/** Controllers whose pods kube-scheduler spreads if the pods name no constraint. */
const SPREAD: ReadonlySet<ControllerKind | null> = new Set(['ReplicaSet', 'StatefulSet', 'ReplicationController']);

/**
 * The key of the controller whose pods are spread with this pod; `null`: none. As in kube-scheduler's `DefaultSelector`
 * (plugins/helper/spread.go), only Kubernetes' own kinds are: a StatefulSet of another API group is not.
 */
export const ownerOf = (pod: Pod): string | null =>
  pod.controller !== null && SPREAD.has(ownKindOf(pod.controller)) ? controllerKeyOf(pod) : null;

/** How many pods of each controller are on each node. Each placement of a pod is added. */
export class OwnerCounts {
  /** By owner, by the node's index. */
  readonly #counts = new Map<string, Map<number, number>>();

  /** @param count negative where pods leave. */
  add(owner: string | null, { index }: NodeInfo, count: number): void {
    if (owner === null) {
      return;
    }
    const byNode = mapAt(this.#counts, owner);
    const sum = (byNode.get(index) ?? 0) + count;
    if (sum === 0) {
      byNode.delete(index);
    } else {
      byNode.set(index, sum);
    }
  }

  /** Counts the pods of a former node on the node that has come in its place; nowhere without one. */
  move({ index: from }: NodeInfo, to: NodeInfo | null): void {
    for (const byNode of this.#counts.values()) {
      const count = byNode.get(from);
      byNode.delete(from);
      if (count !== undefined && to !== null) {
        byNode.set(to.index, count);
      }
    }
  }

  /** Pods by the node's index. */
  of(owner: string): ReadonlyMap<number, number> {
    return this.#counts.get(owner) ?? NONE;
  }
}

const NONE: ReadonlyMap<number, number> = new Map();
