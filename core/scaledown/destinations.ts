import { itemAt } from '../model/values/existing.ts';
import { HOSTNAME_LABEL } from '../model/cluster/node.ts';
import { canonical, type PodKind } from '../model/snapshot/pod-kind.ts';
import type { NodeInfo } from '../model/snapshot/snapshot.ts';
import { NodeRow } from '../estimator/node-row.ts';
import type { Load } from '../estimator/demand.ts';
import { fillNode } from '../estimator/placing.ts';
import { type BudgetedScheduler, budgeted, schedulerChecksMade } from '../scheduling/budgeted-scheduler.ts';
import { matchRequiredAffinity } from '../scheduling/node-selector.ts';
import type { SimulatedCluster } from '../scheduling/simulated-cluster.ts';
import { toleratesAll } from '../scheduling/tolerations.ts';
import { utilizedShare } from './fullest-first.ts';

/** The nodes that pods of one kind may be on at all, in order of preference. */
interface Row {
  readonly nodes: NodeRow;
  /** By the node's place in the order of all; -1 where it is not among these. */
  readonly positions: Int32Array;
}

/** The only node that may still have a place for a kind; `null`: no node has one. */
type Nowhere = NodeInfo | null;

/**
 * The nodes that may take pods of nodes that go. Nothing comes back to them while nodes are tried one after another, so
 * what one of them has refused once it need not be asked again, unless the refusal hangs on pods elsewhere.
 */
export class Destinations {
  readonly #cluster: SimulatedCluster & { readonly scheduler: BudgetedScheduler };
  readonly #order: readonly NodeInfo[];
  /** By the node's index in the snapshot. */
  readonly #place = new Map<number, number>();
  readonly #rows = new Map<string, Row>();
  readonly #rowOfKind: (Row | undefined)[] = [];
  readonly #closed = new Set<NodeInfo>();
  readonly #nowhere = new Map<PodKind, Nowhere>();
  readonly #widelyApart: boolean;

  constructor(cluster: SimulatedCluster, order: readonly NodeInfo[]) {
    this.#cluster = { ...cluster, scheduler: budgeted(cluster.scheduler) };
    this.#order = order;
    order.forEach((info, i) => this.#place.set(info.index, i));
    this.#widelyApart = cluster.snapshot.kinds.kinds.some(({ spec }) =>
      spec.podAntiAffinity.some(({ topologyKey }) => topologyKey !== HOSTNAME_LABEL),
    );
  }

  /** Number of scheduler checks made so far; infinite when the time of the evaluation is used up. */
  get schedulerChecks(): number {
    return schedulerChecksMade(this.#cluster.scheduler);
  }

  /** Takes a node out, for good or until it is opened again. */
  close(info: NodeInfo): void {
    this.#closed.add(info);
    this.#each(info, ({ nodes }, position) => nodes.close(position));
  }

  open(info: NodeInfo): void {
    this.#closed.delete(info);
    this.changed(info);
  }

  /** Must be called when pods came to the node or left it by other ways than `fill`. */
  changed(info: NodeInfo): void {
    if (!this.#closed.has(info)) {
      this.#each(info, ({ nodes }, position) => nodes.changed(position));
    }
  }

  /**
   * Puts as many of the pods as there is room for onto the nodes, preferred ones first.
   *
   * @param placed notified of every node that takes some.
   * @returns how many found a place.
   */
  fill({ kind, count }: Load, placed: (info: NodeInfo, count: number) => void): number {
    let done = 0;
    for (const info of this.#rowOf(kind).nodes.withRoomFor(kind)) {
      if (done === count) {
        break;
      }
      const here = fillNode(this.#cluster, info, { kind, count: count - done });
      if (here > 0) {
        this.changed(info);
        placed(info, here);
        done += here;
      }
    }
    return done;
  }

  /** Like `fill`, but each pod goes to the emptiest node that takes it: so kube-scheduler prefers them by default. */
  fillEmptiest({ kind, count }: Load, placed: (info: NodeInfo, count: number) => void): number {
    let done = 0;
    while (done < count) {
      const info = this.#emptiestFor(kind);
      if (info === null || fillNode(this.#cluster, info, { kind, count: 1 }) === 0) {
        break;
      }
      this.changed(info);
      placed(info, 1);
      done += 1;
    }
    return done;
  }

  #emptiestFor(kind: PodKind): NodeInfo | null {
    return (
      [...this.#rowOf(kind).nodes.withRoomFor(kind)]
        .map((info) => ({ info, used: utilizedShare(info) }))
        .sort((a, b) => a.used - b.used)
        .find(({ info }) => this.#takes(kind, info))?.info ?? null
    );
  }

  /** Is it known already that no node has a place for one pod of this kind, whatever moves before it? */
  hasNone(kind: PodKind): boolean {
    const but = this.#nowhere.get(kind);
    if (but === undefined) {
      return false;
    }
    if (but !== null && !this.#closed.has(but) && this.#takes(kind, but)) {
      return false;
    }
    // The node that is closed for the moment was asked when the other one was.
    this.#nowhere.set(kind, null);
    return true;
  }

  /**
   * Remembers it where no node has a place for a pod of this kind as things are.
   *
   * @param except the node that is closed for the moment.
   */
  learn(kind: PodKind, except: NodeInfo): void {
    if (!this.#onlyGetsWorse(kind)) {
      return;
    }
    for (const info of this.#rowOf(kind).nodes.withRoomFor(kind)) {
      if (this.#takes(kind, info)) {
        return;
      }
    }
    this.#nowhere.set(kind, this.#nowhere.has(kind) ? null : except);
  }

  #takes(kind: PodKind, info: NodeInfo): boolean {
    return this.#cluster.scheduler.check(kind, info) === null;
  }

  /**
   * Can nothing that happens elsewhere open a node that is closed to this kind? Spread and affinity open nodes when
   * pods come to others, wide anti-affinity and volumes when pods leave them.
   */
  #onlyGetsWorse({ spec }: PodKind): boolean {
    return (
      !this.#widelyApart &&
      spec.podAffinity.length === 0 &&
      spec.topologySpread.length === 0 &&
      spec.volumes.every(({ kind }) => kind === 'emptyDir' || kind === 'hostPath')
    );
  }

  #rowOf(kind: PodKind): Row {
    return (this.#rowOfKind[kind.id] ??= this.#sharedRow(kind));
  }

  /** Kinds that go to the same nodes as far as labels and taints say share their row. */
  #sharedRow({ spec }: PodKind): Row {
    const { nodeSelector, nodeAffinity, tolerations } = spec;
    const key = canonical([nodeSelector, nodeAffinity, tolerations]);
    let row = this.#rows.get(key);
    if (row === undefined) {
      const matches = matchRequiredAffinity(spec);
      const nodes = new NodeRow();
      const positions = new Int32Array(this.#order.length).fill(-1);
      this.#order.forEach((info, i) => {
        if ((matches === null || matches(info.node)) && toleratesAll(tolerations, info.node.taints)) {
          positions[i] = nodes.nodes.length;
          nodes.add(info);
        }
      });
      row = { nodes, positions };
      this.#rows.set(key, row);
      for (const info of this.#closed) {
        this.close(info);
      }
    }
    return row;
  }

  #each(info: NodeInfo, call: (row: Row, position: number) => void): void {
    const place = this.#place.get(info.index);
    if (place === undefined) {
      return;
    }
    for (const row of this.#rows.values()) {
      const position = itemAt(row.positions, place);
      if (position >= 0) {
        call(row, position);
      }
    }
  }
}
