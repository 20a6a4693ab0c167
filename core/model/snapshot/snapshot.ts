import type { GroupName, NodeName } from '../values/names.ts';
import type { Node } from '../cluster/node.ts';
import type { Pod } from '../cluster/pod.ts';
import { KindTable, type PodKind, type SelectorKeys } from './pod-kind.ts';
import { PODS_INDEX, ResourceTable } from './resource-table.ts';

/** A node of a snapshot, with running totals. Changed by `Snapshot` alone. */
export interface NodeInfo {
  /** Position in `Snapshot.nodes`, for the life of the snapshot. */
  readonly index: number;
  readonly name: NodeName;
  readonly node: Node;
  readonly group: GroupName | null;
  /** Allocatable minus requested, by resource index; a resource that the node does not have may be out of range. */
  readonly free: number[];
  /** How many pods of each kind it holds. */
  readonly pods: Map<PodKind, number>;
  podCount: number;
}

/** Notified of every change, also when it is undone: counters that are kept through this are right at any time. */
export interface SnapshotObserver {
  nodeAdded?(info: NodeInfo): void;
  nodeRemoved?(info: NodeInfo): void;
  /** @param count negative where pods leave the node. */
  placed?(kind: PodKind, info: NodeInfo, count: number): void;
}

/** A change of a snapshot: a node that comes (1) or goes (-1), or pods of a kind that come to a node or leave it. */
export interface SnapshotChange {
  readonly info: NodeInfo;
  /** `null`: the node itself. */
  readonly kind: PodKind | null;
  /** Negative: they leave. */
  readonly count: number;
}

/**
 * A cluster to try things on. `fork` marks a point, `revert` goes back to it, `commit` forgets it; forks nest. A fork
 * costs nothing, a revert costs what was changed since.
 */
export class Snapshot {
  /**
   * A value that outlives every snapshot, for the sake of the code that V8 has optimised (`estimator/kept-estimate.ts`).
   */
  static kept: unknown = null;

  readonly resources = new ResourceTable();
  readonly kinds: KindTable;
  /**
   * Requests of expendable pods on their nodes, by resource index. They make room for others and count for nothing
   * else; but for a pod that never preempts they are in the way.
   */
  readonly expendable = new Map<NodeName, number[]>();
  /** In the order of their arrival; `null` where a node was removed. */
  readonly nodes: (NodeInfo | null)[] = [];
  readonly #byName = new Map<NodeName, NodeInfo>();
  /** How many pods there are of each kind, by the kind's number. */
  readonly #counts: number[] = [];
  readonly #observers: SnapshotObserver[] = [];
  readonly #changes: SnapshotChange[] = [];
  readonly #forks: number[] = [];

  /** @param keys the label keys that any selector names, of all pods that this snapshot will ever see. */
  constructor(keys: SelectorKeys) {
    this.kinds = new KindTable(this.resources, keys);
  }

  kindOf(pod: Pod): PodKind {
    return this.kinds.of(pod);
  }

  byName(name: NodeName): NodeInfo | undefined {
    return this.#byName.get(name);
  }

  get nodeCount(): number {
    return this.#byName.size;
  }

  /** The number of pods of a kind, on all nodes together. */
  countOf({ id }: PodKind): number {
    return this.#counts[id] ?? 0;
  }

  /** Notifies an observer of every change from now on. */
  follow(observer: SnapshotObserver): void {
    this.#observers.push(observer);
  }

  /** Observers are notified of what is there already, then of every change. */
  observe(observer: SnapshotObserver): void {
    this.#observers.push(observer);
    for (const info of this.nodes) {
      if (info !== null) {
        observer.nodeAdded?.(info);
        for (const [kind, count] of info.pods) {
          observer.placed?.(kind, info, count);
        }
      }
    }
  }

  addNode(node: Node, group: GroupName | null): NodeInfo {
    const info: NodeInfo = {
      index: this.nodes.length,
      name: node.name,
      node,
      group,
      free: this.resources.vector(node.allocatable),
      pods: new Map(),
      podCount: 0,
    };
    this.#change({ info, kind: null, count: 1 });
    return info;
  }

  /** Takes a node out, its pods with it. */
  removeNode(info: NodeInfo): void {
    for (const [kind, count] of info.pods) {
      this.remove(kind, info, count);
    }
    this.#change({ info, kind: null, count: -1 });
  }

  /** Puts `count` pods of a kind on a node, whether or not they fit. */
  place(kind: PodKind, info: NodeInfo, count = 1): void {
    this.#change({ info, kind, count });
  }

  remove(kind: PodKind, info: NodeInfo, count = 1): void {
    this.#change({ info, kind, count: -count });
  }

  /** Adds an expendable pod of this kind to the node: it uses capacity only for pods that never preempt. */
  placeExpendable({ requestIndex, requestAmount }: PodKind, { name }: NodeInfo): void {
    const requested = this.expendable.get(name) ?? [];
    requestIndex.forEach((index, i) => {
      requested[index] = (requested[index] ?? 0) + requestAmount[i]!;
    });
    requested[PODS_INDEX] = (requested[PODS_INDEX] ?? 0) + 1;
    this.expendable.set(name, requested);
  }

  fork(): void {
    this.#forks.push(this.#changes.length);
  }

  /** @returns the undone changes, in the order in which they had been made. */
  revert(): readonly SnapshotChange[] {
    const undone = this.#changes.slice(this.#endFork());
    for (const { info, kind, count } of undone.toReversed()) {
      this.#changes.pop();
      this.#apply(info, kind, -count);
      if (kind === null && count > 0) {
        // Only the newest node can be undone, so its place can be given back.
        this.nodes.length = Math.min(this.nodes.length, info.index);
      }
    }
    return undone;
  }

  /** Does again what a `revert` has undone. The snapshot must be as it was before these changes. */
  redo(changes: readonly SnapshotChange[]): void {
    for (const change of changes) {
      this.#change(change);
    }
  }

  commit(): void {
    this.#endFork();
    if (this.#forks.length === 0) {
      this.#changes.length = 0;
    }
  }

  #endFork(): number {
    const mark = this.#forks.pop();
    if (mark === undefined) {
      throw new Error('snapshot: revert or commit without a fork');
    }
    return mark;
  }

  #change(change: SnapshotChange): void {
    this.#apply(change.info, change.kind, change.count);
    if (this.#forks.length > 0) {
      this.#changes.push(change);
    }
  }

  #apply(info: NodeInfo, kind: PodKind | null, count: number): void {
    if (kind !== null) {
      this.#place(kind, info, count);
    } else if (count > 0) {
      this.#addNode(info);
    } else {
      this.#removeNode(info);
    }
  }

  #addNode(info: NodeInfo): void {
    if (this.#byName.has(info.name)) {
      throw new Error(`snapshot: node ${info.name} exists already`);
    }
    this.nodes[info.index] = info;
    this.#byName.set(info.name, info);
    for (const observer of this.#observers) {
      observer.nodeAdded?.(info);
    }
  }

  #removeNode(info: NodeInfo): void {
    for (const observer of this.#observers) {
      observer.nodeRemoved?.(info);
    }
    this.nodes[info.index] = null;
    this.#byName.delete(info.name);
  }

  #place(kind: PodKind, info: NodeInfo, count: number): void {
    const pods = (info.pods.get(kind) ?? 0) + count;
    if (pods < 0) {
      throw new Error(`snapshot: ${-count} pods of kind ${kind.id} are not on node ${info.name}`);
    }
    if (pods === 0) {
      info.pods.delete(kind);
    } else {
      info.pods.set(kind, pods);
    }
    this.#count(kind, info, count);
    for (const observer of this.#observers) {
      observer.placed?.(kind, info, count);
    }
  }

  #count(kind: PodKind, info: NodeInfo, count: number): void {
    const { requestIndex, requestAmount } = kind;
    for (let i = 0; i < requestIndex.length; i++) {
      const index = requestIndex[i]!;
      if (index < info.free.length) {
        info.free[index]! -= requestAmount[i]! * count;
      }
    }
    info.free[PODS_INDEX]! -= count;
    info.podCount += count;
    this.#counts[kind.id] = (this.#counts[kind.id] ?? 0) + count;
  }
}
