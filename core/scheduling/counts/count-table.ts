import { getOrMake } from '../../model/values/get-or-make.ts';
import type { PodKind } from '../../model/snapshot/pod-kind.ts';
import type { NodeInfo, Snapshot, SnapshotObserver } from '../../model/snapshot/snapshot.ts';
import type { RequiredLabel } from '../label-selector.ts';
import type { NodeMatcher } from '../node-selector.ts';
import { CounterGroup } from './counter-group.ts';
import type { Counter } from './counters.ts';
import { NodeSet } from './node-set.ts';
import { SelectorIndex } from './selector-index.ts';
import { Topology } from './topology.ts';

/** The kinds of pods that a counter counts. */
interface KindSelection {
  readonly matches: (kind: PodKind) => boolean;
  /** Only kinds of these namespaces can match; `null`: those of any. */
  readonly namespaces: ReadonlySet<string> | null;
  /** Only kinds with this label can match; `null`: those with any labels. */
  readonly required: RequiredLabel | null;
}

interface Selective {
  readonly selection: KindSelection;
  /** Index of the selection's counter. */
  readonly index: number;
}

/**
 * Keeps every count of one snapshot right while it changes. Which counters a kind of pod touches is found out once per
 * kind, so placing a pod costs those counters and nothing else.
 */
export class CountTable implements SnapshotObserver {
  readonly #snapshot: Snapshot;
  readonly #topologies = new Map<string, Topology>();
  readonly #nodeSets = new Map<string, NodeSet>();
  readonly #counters = new Map<string, Counter>();
  readonly #selectiveByNamespace = new Map<string, SelectorIndex<Selective>>();
  readonly #selectiveAnywhere = new SelectorIndex<Selective>();
  /** All counters, those that plugins attach themselves included. */
  readonly #all: Counter[] = [];
  readonly #indexes = new Map<Counter, number>();
  /** By kind; a hole where no pod of the kind was ever placed. */
  readonly #touched: (CounterGroup | undefined)[] = [];
  /** How many pods there are of each kind. */
  readonly #counts: number[] = [];
  /**
   * Pods by node, by kind: for counters that come when pods are there already. `null` until the first of these comes,
   * because on a cluster that starts empty all of them are there before the first pod is.
   */
  #placements: Map<number, number>[] | null = null;
  readonly #known: PodKind[] = [];
  readonly #knownByNamespace = new Map<string, PodKind[]>();
  readonly #onKind: ((kind: PodKind) => void)[] = [];

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
    // No counter exists yet: for existing pods, only the number of each kind matters.
    for (const kind of snapshot.kinds.kinds) {
      const count = snapshot.countOf(kind);
      if (count > 0) {
        this.#introduce(kind);
        this.#counts[kind.id] = count;
      }
    }
    snapshot.follow(this);
  }

  /** Calls once for each kind of pod that is or will be on the snapshot, before the first of it is counted. */
  onKind(call: (kind: PodKind) => void): void {
    for (const kind of this.#known) {
      call(kind);
    }
    this.#onKind.push(call);
  }

  topology(key: string): Topology {
    return getOrMake(this.#topologies, key, () => {
      const topology = new Topology(key);
      this.#eachNode((info) => topology.nodeAdded(info));
      return topology;
    });
  }

  /** @param key must be equal for equal conditions and differ for others. */
  nodeSet(key: string, accepts: NodeMatcher): NodeSet {
    return getOrMake(this.#nodeSets, key, () => {
      const set = new NodeSet(accepts);
      this.#eachNode((info) => set.nodeAdded(info));
      return set;
    });
  }

  /**
   * A counter of all kinds that a selection matches.
   *
   * @param key names the counted property and the way of counting.
   */
  counter<C extends Counter>(key: string, make: () => C, selection: () => KindSelection): C {
    return getOrMake(this.#counters, key, () => {
      const counter = make();
      const selective = { index: this.#indexOf(counter), selection: selection() };
      this.#register(selective);
      const { namespaces } = selective.selection;
      const candidates =
        namespaces === null
          ? this.#known
          : [...namespaces].flatMap((namespace) => this.#knownByNamespace.get(namespace) ?? []);
      const countThere = addTo(counter);
      for (const kind of candidates) {
        if (selective.selection.matches(kind)) {
          this.#attach(kind, selective.index, countThere);
        }
      }
      return counter;
    }) as C;
  }

  /** Adds a kind, with its existing pods, to a counter. */
  attach(kind: PodKind, counter: Counter): void {
    this.#attach(kind, this.#indexOf(counter), addTo(counter));
  }

  #attach(kind: PodKind, index: number, countThere: (count: number, nodeIndex: number) => void): void {
    this.#touched[kind.id]!.include(index);
    if (this.#counts[kind.id]! > 0) {
      this.#placements ??= this.#findPods();
      this.#placements[kind.id]!.forEach(countThere);
    }
  }

  #indexOf(counter: Counter): number {
    return getOrMake(this.#indexes, counter, () => this.#all.push(counter) - 1);
  }

  nodeAdded(info: NodeInfo): void {
    this.#topologies.forEach((topology) => topology.nodeAdded(info));
    this.#nodeSets.forEach((set) => set.nodeAdded(info));
  }

  nodeRemoved(info: NodeInfo): void {
    this.#nodeSets.forEach((set) => set.nodeRemoved(info));
  }

  placed(kind: PodKind, { index: nodeIndex }: NodeInfo, count: number): void {
    const touched = this.#touched[kind.id] ?? this.#introduce(kind);
    this.#counts[kind.id]! += count;
    if (this.#placements !== null) {
      const placements = this.#placements[kind.id]!;
      const there = (placements.get(nodeIndex) ?? 0) + count;
      if (there === 0) {
        placements.delete(nodeIndex);
      } else {
        placements.set(nodeIndex, there);
      }
    }
    touched.add(nodeIndex, count);
  }

  #introduce(kind: PodKind): CounterGroup {
    const touched = new CounterGroup(this.#all);
    this.#touched[kind.id] = touched;
    this.#counts[kind.id] = 0;
    if (this.#placements !== null) {
      this.#placements[kind.id] = new Map();
    }
    for (const call of this.#onKind) {
      call(kind);
    }
    const touch = ({ selection, index }: Selective): void => {
      if (selection.matches(kind)) {
        touched.include(index);
      }
    };
    this.#selectiveByNamespace.get(kind.namespace)?.eachFor(kind.labels, 0, touch);
    this.#selectiveAnywhere.eachFor(kind.labels, 0, touch);
    this.#known.push(kind);
    getOrMake(this.#knownByNamespace, kind.namespace, () => []).push(kind);
    return touched;
  }

  #findPods(): Map<number, number>[] {
    const placements: Map<number, number>[] = [];
    for (const { id } of this.#known) {
      placements[id] = new Map();
    }
    this.#eachNode(({ index, pods }) => {
      for (const [{ id }, count] of pods) {
        placements[id]!.set(index, count);
      }
    });
    return placements;
  }

  #register(selective: Selective): void {
    const { namespaces, required } = selective.selection;
    if (namespaces === null) {
      this.#selectiveAnywhere.add(required, selective);
    } else {
      for (const namespace of namespaces) {
        getOrMake(this.#selectiveByNamespace, namespace, () => new SelectorIndex()).add(required, selective);
      }
    }
  }

  #eachNode(call: (info: NodeInfo) => void): void {
    for (const info of this.#snapshot.nodes) {
      if (info !== null) {
        call(info);
      }
    }
  }
}

/** Adds the pods of a node, as a map of numbers of pods by node calls it: a pair for each node would be garbage by the gigabyte. */
const addTo =
  (counter: Counter) =>
  (count: number, nodeIndex: number): void =>
    counter.add(nodeIndex, count);
